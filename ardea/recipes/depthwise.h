#pragma once

#include "ardea/recipes/recipe.h"

/// Convolutions of each channel by itself: what lies side by side in memory (columns with channels first,
/// channels with channels last) is the lanes of one vector, and several neighbours along the next dimension
/// are summed together, so that what they read in common is loaded once.

namespace ardea::recipes {

bool serves_depthwise(const ops::Workload& workload, const target::Target& target);
void schedule_depthwise(schedule::Schedule& s, const ops::Workload& workload, const target::Target& target);

}  // namespace ardea::recipes
