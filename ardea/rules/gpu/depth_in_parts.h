#pragma once

#include "ardea/rules/rule.h"

namespace ardea::rules {

/// Long sums of products whose results are too few for a GPU are made in parts, each a product of its own
/// that other blocks make, and the parts are added by a launch behind.
Rule depth_in_parts();

}  // namespace ardea::rules
