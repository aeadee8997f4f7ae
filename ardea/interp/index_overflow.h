#pragma once

#include <cstdint>
#include <unordered_map>

#include "ardea/ir/expr.h"

/// int64 arithmetic on loop variables, iterators and integer parameters must stay within 64 bits
/// (docs/semantics.md): the simplifier relies on it. int64 data wrap.

namespace ardea::interp {

/// Whether the exact result is no int64.
inline bool leaves_int64(BinaryOp op, std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  switch (op) {
    case BinaryOp::add: return __builtin_add_overflow(left, right, &result);
    case BinaryOp::sub: return __builtin_sub_overflow(left, right, &result);
    case BinaryOp::mul: return __builtin_mul_overflow(left, right, &result);
    case BinaryOp::shift_left: return right >= 0 && right < 64 && (left << right) >> right != left;
    default: return false;
  }
}

/// Whether e is computed from int64 variables, and from nothing that is int64 data: a load, a call, bits, an
/// unsigned number. `lets` knows the values of those variables that lets define.
bool is_index_arithmetic(const Expr& e, const std::unordered_map<Var, Expr>& lets);

}  // namespace ardea::interp
