#pragma once

#include "ardea/recipes/recipe.h"

/// Operators that take each row of a matrix for itself: reductions along rows, softmax, layernorm.

namespace ardea::recipes {

bool serves_rows(const ops::Workload& workload, const target::Target& target);
void schedule_rows(schedule::Schedule& s, const ops::Workload& workload, const target::Target& target);

}  // namespace ardea::recipes
