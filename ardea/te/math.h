#pragma once

#include <string_view>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/literals.h"

/// The functions of expressions, by the names that te programs use. Each is a call of an intrinsic (or a
/// node) that the interpreter and every backend know; a user's own (register_intrinsic) is called by `call`.

namespace ardea::te {

namespace detail {
inline Expr settled(BinaryOp op, Expr& a, Expr& b) {
  settle_literals(a, b);
  return make_binary(op, a, b);
}
}  // namespace detail

inline Expr call(std::string_view intrinsic, std::vector<Expr> arguments) {
  return make_call(intrinsic, std::move(arguments));
}

inline Expr exp(const Expr& x) { return call("exp", {x}); }
inline Expr exp2(const Expr& x) { return call("exp2", {x}); }
inline Expr log(const Expr& x) { return call("log", {x}); }
inline Expr log2(const Expr& x) { return call("log2", {x}); }
inline Expr sqrt(const Expr& x) { return call("sqrt", {x}); }
inline Expr rsqrt(const Expr& x) { return call("rsqrt", {x}); }
inline Expr tanh(const Expr& x) { return call("tanh", {x}); }
inline Expr sigmoid(const Expr& x) { return call("sigmoid", {x}); }
inline Expr erf(const Expr& x) { return call("erf", {x}); }
inline Expr sin(const Expr& x) { return call("sin", {x}); }
inline Expr cos(const Expr& x) { return call("cos", {x}); }
inline Expr tan(const Expr& x) { return call("tan", {x}); }
inline Expr floor(const Expr& x) { return call("floor", {x}); }
inline Expr ceil(const Expr& x) { return call("ceil", {x}); }
inline Expr round(const Expr& x) { return call("round", {x}); }
inline Expr trunc(const Expr& x) { return call("trunc", {x}); }
inline Expr abs(const Expr& x) { return call("abs", {x}); }
inline Expr popcount(const Expr& x) { return call("popcount", {x}); }
inline Expr clz(const Expr& x) { return call("clz", {x}); }
inline Expr pow(Expr x, Expr y) {
  settle_literals(x, y);
  return call("pow", {x, y});
}
inline Expr fma(Expr x, Expr y, Expr z) {
  settle_literals(x, y);
  settle_literals(x, z);
  settle_literals(x, y);  // where z alone is no number
  return call("fma", {x, y, z});
}

/// Only the chosen side is evaluated, so that the other may be out of range: what padding needs.
inline Expr if_then_else(const Expr& condition, Expr when_true, Expr when_false) {
  settle_literals(when_true, when_false);
  return call("if_then_else", {condition, when_true, when_false});
}
/// Both sides are evaluated.
inline Expr select(const Expr& condition, Expr when_true, Expr when_false) {
  settle_literals(when_true, when_false);
  return make_select(condition, when_true, when_false);
}
template <std::same_as<bool> Condition>
Expr if_then_else(Condition, const Expr&, const Expr&) = delete;  // a == b is identity: write equals(a, b)
template <std::same_as<bool> Condition>
Expr select(Condition, const Expr&, const Expr&) = delete;  // a == b is identity: write equals(a, b)

inline Expr cast(DataType type, const Expr& x) { return make_cast(type, x); }

inline Expr bit_and(Expr a, Expr b) { return detail::settled(BinaryOp::bit_and, a, b); }
inline Expr bit_or(Expr a, Expr b) { return detail::settled(BinaryOp::bit_or, a, b); }
inline Expr bit_xor(Expr a, Expr b) { return detail::settled(BinaryOp::bit_xor, a, b); }
inline Expr bit_not(const Expr& a) { return make_unary(UnaryOp::bit_not, a); }
inline Expr shift_left(Expr a, Expr n) { return detail::settled(BinaryOp::shift_left, a, n); }
inline Expr shift_right(Expr a, Expr n) { return detail::settled(BinaryOp::shift_right, a, n); }

// Those of the IR, by the same namespace as the rest.
using ardea::equals, ardea::not_equals;
using ardea::floor_div, ardea::floor_mod, ardea::trunc_div, ardea::trunc_mod;
using ardea::logical_and, ardea::logical_or, ardea::logical_not;
using ardea::min, ardea::max;

}  // namespace ardea::te
