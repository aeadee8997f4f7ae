#pragma once

#include "ardea/recipes/recipe.h"

/// matmul_exp_matmul: the function is computed where the second product packs its left operand.

namespace ardea::recipes {

bool serves_matmul_exp_matmul(const ops::Workload& workload, const target::Target& target);
void schedule_matmul_exp_matmul(schedule::Schedule& s, const ops::Workload& workload,
                                const target::Target& target);

}  // namespace ardea::recipes
