#include <cmath>

#include "ardea/arith/reasoner.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/narrow_float.h"

/// Floats are folded only where every bit of the result is known: no term moves, nothing is re-associated,
/// and x + 0 stays, because it turns -0 into +0.

namespace ardea::arith {

namespace {

// The IR's arithmetic: float64 in itself, all narrower types in float32 with one rounding at the end.
std::optional<double> folded(BinaryOp op, double a, double b, DataType type) {
  const auto compute = [op](auto x, auto y) -> std::optional<double> {
    switch (op) {
      case BinaryOp::add: return x + y;
      case BinaryOp::sub: return x - y;
      case BinaryOp::mul: return x * y;
      case BinaryOp::div: return x / y;
      case BinaryOp::min: return x == y ? (std::signbit(x) ? x : y) : (x < y ? x : y);
      case BinaryOp::max: return x == y ? (std::signbit(x) ? y : x) : (x > y ? x : y);
      default: return std::nullopt;
    }
  };
  const auto result = type.bits == 64 ? compute(a, b) : compute(static_cast<float>(a), static_cast<float>(b));
  // Which NaN a machine makes is not ours to say.
  if (!result || std::isnan(a) || std::isnan(b) || std::isnan(*result)) return std::nullopt;
  return round_to_type(*result, type);
}

bool is_negative_zero(const Expr& e) {
  const auto* imm = e.as<FloatImm>();
  return imm != nullptr && imm->value == 0 && std::signbit(imm->value);
}

bool is_infinity(const Expr& e, bool negative) {
  const auto* imm = e.as<FloatImm>();
  return imm != nullptr && std::isinf(imm->value) && std::signbit(imm->value) == negative;
}

Expr fold_binary(const Expr& e, const Binary& binary) {
  const auto *a = binary.left.as<FloatImm>(), *b = binary.right.as<FloatImm>();
  if (a && b)
    if (const auto value = folded(binary.op, a->value, b->value, e.type()))
      return make_float(*value, e.type());
  if (binary.op == BinaryOp::mul && is_one(binary.right)) return binary.left;
  if (binary.op == BinaryOp::mul && is_one(binary.left)) return binary.right;
  if (binary.op == BinaryOp::div && is_one(binary.right)) return binary.left;
  if (binary.op == BinaryOp::sub && is_zero(binary.right)) return binary.left;  // is_zero knows +0 from -0
  // x + -0 is x also where x is a zero: +0 + -0 is +0, -0 + -0 is -0 (x + +0 makes +0 of both).
  if (binary.op == BinaryOp::add && is_negative_zero(binary.right)) return binary.left;
  if (binary.op == BinaryOp::add && is_negative_zero(binary.left)) return binary.right;
  // Nothing but NaN, which both give, is beyond an infinity.
  if (binary.op == BinaryOp::min && is_infinity(binary.right, false)) return binary.left;
  if (binary.op == BinaryOp::min && is_infinity(binary.left, false)) return binary.right;
  if (binary.op == BinaryOp::max && is_infinity(binary.right, true)) return binary.left;
  if (binary.op == BinaryOp::max && is_infinity(binary.left, true)) return binary.right;
  return e;
}

Expr fold_cast(const Expr& e, const Cast& cast) {
  if (const auto* imm = cast.value.as<FloatImm>(); imm && !std::isnan(imm->value))
    return make_float(imm->value, e.type());
  if (const auto* imm = cast.value.as<IntImm>()) {
    constexpr std::int64_t exact = std::int64_t{1} << 53;  // beyond it the way over double would round twice
    // A negative one of an unsigned type holds the bits of a number from 2^63 on.
    const std::int64_t least = cast.value.type().is_uint() ? 0 : -exact;
    if (imm->value >= least && imm->value <= exact)
      return make_float(static_cast<double>(imm->value), e.type());
  }
  return e;
}

}  // namespace

Expr Reasoner::simplify_float(const Expr& e) {
  const Expr result = simplify_children(e);
  if (const auto* binary = result.as<Binary>()) {
    const auto *a = binary->left.as<Broadcast>(), *b = binary->right.as<Broadcast>();
    if (a && b) return make_broadcast(simplify(make_binary(binary->op, a->value, b->value)), e.type().lanes);
    return fold_binary(result, *binary);
  }
  if (const auto* cast = result.as<Cast>()) return fold_cast(result, *cast);
  if (const auto* unary = result.as<Unary>(); unary && unary->op == UnaryOp::negate) {
    if (const auto* imm = unary->operand.as<FloatImm>(); imm && !std::isnan(imm->value))
      return make_float(-imm->value, e.type());
    if (const auto* inner = unary->operand.as<Unary>(); inner && inner->op == UnaryOp::negate)
      return inner->operand;
  }
  return result;
}

}  // namespace ardea::arith
