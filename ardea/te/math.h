#pragma once

#include <string_view>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/literals.h"

/// The functions of expressions, by the names that te programs use. Each is a call of an intrinsic (or a
/// node) that the interpreter and every backend know; a user's own (register_intrinsic) is called by `call`.

namespace ardea::te {

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
inline Expr pow(const Expr& x, const Expr& y) { return call("pow", {x, y}); }
inline Expr fma(const Expr& x, const Expr& y, const Expr& z) { return call("fma", {x, y, z}); }

/// Only the chosen side is evaluated, so that the other may be out of range: what padding needs.
inline Expr if_then_else(const Expr& condition, const Expr& when_true, const Expr& when_false) {
  return call("if_then_else", {condition, when_true, when_false});
}
/// Both sides are evaluated.
inline Expr select(const Expr& condition, const Expr& when_true, const Expr& when_false) {
  return make_select(condition, when_true, when_false);
}
inline Expr cast(DataType type, const Expr& x) { return make_cast(type, x); }

inline Expr bit_and(const Expr& a, const Expr& b) { return make_binary(BinaryOp::bit_and, a, b); }
inline Expr bit_or(const Expr& a, const Expr& b) { return make_binary(BinaryOp::bit_or, a, b); }
inline Expr bit_xor(const Expr& a, const Expr& b) { return make_binary(BinaryOp::bit_xor, a, b); }
inline Expr bit_not(const Expr& a) { return make_unary(UnaryOp::bit_not, a); }
inline Expr shift_left(const Expr& a, const Expr& n) { return make_binary(BinaryOp::shift_left, a, n); }
inline Expr shift_right(const Expr& a, const Expr& n) { return make_binary(BinaryOp::shift_right, a, n); }

}  // namespace ardea::te
