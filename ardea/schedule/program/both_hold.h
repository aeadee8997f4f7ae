#pragma once

#include "ardea/ir/expr.h"

namespace ardea::schedule {

/// a and b as one condition, without the one that is true.
Expr both_hold(const Expr& a, const Expr& b);

}  // namespace ardea::schedule
