#pragma once

#include "ardea/recipes/recipe.h"

/// Convolutions with channels last: output channels, which lie side by side, are the lanes of vectors, and
/// neighbouring pixels the rows of the register tile. Weights are packed into panels as wide as the tile.

namespace ardea::recipes {

bool serves_conv_channels_last(const ops::Workload& workload, const target::Target& target);
void schedule_conv_channels_last(schedule::Schedule& s, const ops::Workload& workload,
                                 const target::Target& target, Packing packing);

}  // namespace ardea::recipes
