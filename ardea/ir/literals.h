#pragma once

#include "ardea/ir/expr.h"

/// C++ numbers beside expressions: `x * 0.5`, `1 / x`, `select(i < n, x, 0)`.

namespace ardea {

/// Where the two differ in type and one is a constant, that one takes the type of the other. Error for a
/// fraction beside an integer, and for a number that the type does not hold. What differs otherwise stays.
void settle_literals(Expr& a, Expr& b);

}  // namespace ardea
