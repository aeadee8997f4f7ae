#pragma once

#include "ardea/recipes/recipe.h"

/// Products of a few rows, which are as fast as the other matrix comes out of memory.

namespace ardea::recipes {

/// B is read row by row, as it lies in memory, and each row added to the few rows of C.
bool serves_skinny(const ops::Workload& workload, const target::Target& target);
void schedule_skinny(schedule::Schedule& s, const ops::Workload& workload, const target::Target& target);

/// Where both operands lie along k (B as n,k, or one column): dot products in vectors of partial results.
bool serves_dots(const ops::Workload& workload, const target::Target& target);
void schedule_dots(schedule::Schedule& s, const ops::Workload& workload, const target::Target& target);

}  // namespace ardea::recipes
