#pragma once

#include "ardea/rules/rule.h"

namespace ardea::rules {

/// Sums of products whose indices fit no other rule (convolutions that are transposed with a stride):
/// channels of the kernel are lanes, in panels where they do not lie side by side, and places the rows of the
/// register tile, each of which reads what its own indices say.
Rule channel_lanes();

}  // namespace ardea::rules
