#pragma once

#include "ardea/rules/rule.h"

namespace ardea::rules {

/// A product, stages of its rows, and a product of what they make (attention): all of it for some rows at a
/// time, which lie side by side. Vectors go along rows, so that sums and greatest numbers of rows need no
/// steps between lanes, and what the stages make is the last product's left operand as it lies.
Rule row_panels();

}  // namespace ardea::rules
