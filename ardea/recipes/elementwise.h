#pragma once

#include "ardea/recipes/recipe.h"

/// Operators on one element at a time.

namespace ardea::recipes {

bool serves_elementwise(const ops::Workload& workload, const target::Target& target);
void schedule_elementwise(schedule::Schedule& s, const ops::Workload& workload, const target::Target& target);

}  // namespace ardea::recipes
