#pragma once

#include "ardea/rules/rule.h"

namespace ardea::rules {

/// Products of matrices of floats, blocked for caches around a tile of registers: both operands in panels
/// where that pays, made where they are used first; what computes the left operand is computed there, too.
Rule packed_product();

}  // namespace ardea::rules
