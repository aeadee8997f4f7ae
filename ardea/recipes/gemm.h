#pragma once

#include "ardea/recipes/recipe.h"

/// Products of float matrices: operands packed into panels, sums in a register tile.

namespace ardea::recipes {

bool serves_gemm(const ops::Workload& workload, const target::Target& target);
void schedule_gemm(schedule::Schedule& s, const ops::Workload& workload, const target::Target& target);

}  // namespace ardea::recipes
