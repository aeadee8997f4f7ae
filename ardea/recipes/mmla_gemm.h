#pragma once

#include "ardea/recipes/recipe.h"

/// Products of bytes and of bfloat16 by the matrix instructions of aarch64: smmla, ummla, usmmla and bfmmla.

namespace ardea::recipes {

bool serves_mmla_gemm(const ops::Workload& workload, const target::Target& target);
void schedule_mmla_gemm(schedule::Schedule& s, const ops::Workload& workload, const target::Target& target,
                        Packing packing);

}  // namespace ardea::recipes
