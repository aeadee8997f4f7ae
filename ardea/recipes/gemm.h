#pragma once

#include "ardea/recipes/recipe.h"

/// gemm and bmm of floats: product.h.

namespace ardea::recipes {

bool serves_gemm(const ops::Workload& workload, const target::Target& target);
void schedule_gemm(schedule::Schedule& s, const ops::Workload& workload, const target::Target& target,
                   Packing packing);

}  // namespace ardea::recipes
