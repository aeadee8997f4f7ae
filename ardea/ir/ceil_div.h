#pragma once

#include "ardea/ir/expr.h"

namespace ardea {

/// ⌈a / b⌉ for b > 0.
inline Expr ceil_div(const Expr& a, const Expr& b) { return is_one(b) ? a : floor_div(a + (b - 1), b); }

}  // namespace ardea
