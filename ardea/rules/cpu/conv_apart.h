#pragma once

#include "ardea/rules/rule.h"

namespace ardea::rules {

/// Sums over windows of each channel by itself: what lies side by side in memory (columns with channels
/// first, channels with channels last) is the lanes of vectors, and several neighbours along the next
/// dimension are summed together, so that what they read in common is loaded once.
Rule conv_apart();

}  // namespace ardea::rules
