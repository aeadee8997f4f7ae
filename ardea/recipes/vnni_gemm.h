#pragma once

#include "ardea/recipes/recipe.h"

/// Products of unsigned with signed bytes by vpdpbusd: sums in a tile of vector registers.

namespace ardea::recipes {

bool serves_vnni_gemm(const ops::Workload& workload, const target::Target& target);
void schedule_vnni_gemm(schedule::Schedule& s, const ops::Workload& workload, const target::Target& target,
                        Packing packing);

/// Cycles that the instructions of the padded product take.
double vnni_cycles(const ops::Workload& workload, const target::Target& target);

}  // namespace ardea::recipes
