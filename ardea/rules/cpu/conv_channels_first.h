#pragma once

#include "ardea/rules/rule.h"

namespace ardea::rules {

/// Sums over windows with channels first: places, which lie side by side, are the lanes of vectors, and
/// channels of the result the rows of the register tile, whose weights are read where they are. Rows of
/// places follow each other in vectors, or each has its own.
Rule conv_channels_first();

}  // namespace ardea::rules
