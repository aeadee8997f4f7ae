#pragma once

#include "ardea/recipes/recipe.h"

/// Products of bytes and of bfloat16 by the tile registers of AMX.

namespace ardea::recipes {

bool serves_amx_gemm(const ops::Workload& workload, const target::Target& target);
void schedule_amx_gemm(schedule::Schedule& s, const ops::Workload& workload, const target::Target& target,
                       Packing packing);

}  // namespace ardea::recipes
