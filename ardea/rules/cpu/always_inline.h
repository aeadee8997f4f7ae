#pragma once

#include "ardea/rules/rule.h"

namespace ardea::rules {

/// What makes the operands of a stage element by element, for it alone, is computed where it is read. Not
/// where that would compute an element more often than once, except for copies; and not in reductions, which
/// place what makes their operands themselves.
Rule always_inline();

}  // namespace ardea::rules
