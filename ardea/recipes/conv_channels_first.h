#pragma once

#include "ardea/recipes/recipe.h"

/// Convolutions with channels first: pixels, which lie side by side, are the lanes of vectors, and output
/// channels the rows of the register tile, whose weights are read where they are.

namespace ardea::recipes {

bool serves_conv_channels_first(const ops::Workload& workload, const target::Target& target);
void schedule_conv_channels_first(schedule::Schedule& s, const ops::Workload& workload,
                                  const target::Target& target);

}  // namespace ardea::recipes
