#pragma once

#include <vector>

#include "ardea/ir/expr.h"

/// The rules of the running error analysis, one operation at a time (error_bounds.h joins them to a program).

namespace ardea::measure {

/// `value` is a float64 where the original is a float, else of the original type. `bound` is a float64 (with
/// the same lanes) on the distance of any correct result from it; empty means the value is exact. For a bool
/// the bound is 1 where either answer is possible.
struct Bounded {
  Expr value;
  Expr bound = {};
};

/// Half the distance between neighbours of 1.
double unit_roundoff(DataType type);
double largest_finite(DataType type);

/// The type in which a value of `type` is carried: float64 for floats, with the same lanes.
DataType carried_type(DataType type);
/// The bound as an expression: 0 where it is empty.
Expr bound_or_zero(const Bounded& x);

/// `x` after one rounding to `type` (`units` of them where a library function is that inexact). An overflow
/// makes the bound infinite.
Bounded rounded(const Bounded& x, DataType type, double units = 1);

Bounded bounded_unary(UnaryOp op, const Bounded& a);
/// `type` is that of the original operands.
Bounded bounded_binary(BinaryOp op, const Bounded& a, const Bounded& b, DataType type);
Bounded bounded_cast(const Bounded& a, DataType from, DataType to);
Bounded bounded_select(const Bounded& condition, const Bounded& a, const Bounded& b);
Bounded bounded_call(const Call& call, const std::vector<Bounded>& arguments, DataType type);

/// accumulator + term as one of `terms` additions in any order.
Bounded bounded_accumulate(const Bounded& accumulator, const Bounded& term, const Expr& terms, DataType type);

}  // namespace ardea::measure
