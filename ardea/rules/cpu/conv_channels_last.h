#pragma once

#include "ardea/rules/rule.h"

namespace ardea::rules {

/// Sums over windows with channels last: those of the result, which lie side by side, are the lanes of
/// vectors, and places along a row the rows of the register tile; weights come in panels of as many channels
/// as the tile has.
Rule conv_channels_last();

}  // namespace ardea::rules
