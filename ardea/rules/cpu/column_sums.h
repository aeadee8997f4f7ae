#pragma once

#include "ardea/rules/rule.h"

namespace ardea::rules {

/// Reductions whose results lie side by side (windows of images, sums down columns): a tile of results in
/// registers, columns in vectors, what is made of them where they leave the registers. What lines of windows
/// make is computed once for all windows that have them.
Rule column_sums();

}  // namespace ardea::rules
