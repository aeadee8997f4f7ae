#pragma once

#include "ardea/rules/rule.h"

namespace ardea::rules {

/// Blocks that are no plain stages, such as those that store several elements: each instance by a thread,
/// along the outermost loops that make elements.
Rule blocks_by_threads();

}  // namespace ardea::rules
