#include "ardea/arith/regions_conditions.h"

#include <algorithm>

#include "ardea/arith/regions_linear.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"

namespace ardea::arith {

namespace {

BinaryOp opposite(BinaryOp op) {
  switch (op) {
    case BinaryOp::eq: return BinaryOp::ne;
    case BinaryOp::ne: return BinaryOp::eq;
    case BinaryOp::lt: return BinaryOp::ge;
    case BinaryOp::le: return BinaryOp::gt;
    case BinaryOp::gt: return BinaryOp::le;
    default: return BinaryOp::lt;
  }
}

void collect(const Expr& condition, bool wanted, std::vector<Expr>& parts) {
  if (const auto* unary = condition.as<Unary>(); unary != nullptr && unary->op == UnaryOp::logical_not)
    return collect(unary->operand, !wanted, parts);
  if (const auto* call = condition.as<Call>(); call != nullptr && call->op->name == "likely")
    return collect(call->arguments[0], wanted, parts);
  if (const auto* binary = condition.as<Binary>()) {
    const BinaryOp splits = wanted ? BinaryOp::logical_and : BinaryOp::logical_or;
    if (binary->op == splits) {
      collect(binary->left, wanted, parts);
      return collect(binary->right, wanted, parts);
    }
    // `not (x < y)` is `x >= y` for integers only: a NaN makes both false.
    if (!wanted && is_comparison(binary->op) && !binary->left.type().is_float()) {
      parts.push_back(make_binary(opposite(binary->op), binary->left, binary->right));
      return;
    }
  }
  if (wanted && is_true(condition)) return;
  parts.push_back(wanted ? condition : logical_not(condition));
}

bool divides(const Expr& condition) {
  return any_expr(condition, [](const Expr& e) {
    const auto* node = e.as<Binary>();
    return node != nullptr && (node->op == BinaryOp::floor_div || node->op == BinaryOp::floor_mod);
  });
}

/// Those without quotients and remainders first: what they say of loops is known where the others are read.
/// (Where i < 24, the tail of a split, (i_0 * 64 + i_1) % 3 is i_1 % 3, and is understood as such only then.)
std::vector<Expr> in_order_of_understanding(std::vector<Expr> parts) {
  std::stable_partition(parts.begin(), parts.end(), [](const Expr& part) { return !divides(part); });
  return parts;
}

}  // namespace

std::vector<Expr> conjuncts(const Expr& condition) {
  std::vector<Expr> parts;
  if (condition.defined()) collect(condition, true, parts);
  return in_order_of_understanding(std::move(parts));
}

std::vector<Expr> conjuncts_of_negation(const Expr& condition) {
  std::vector<Expr> parts;
  collect(condition, false, parts);
  return in_order_of_understanding(std::move(parts));
}

std::vector<Expr> nonnegative_parts(const Expr& comparison) {
  const auto* binary = comparison.as<Binary>();
  if (binary == nullptr || !is_comparison(binary->op)) return {};
  if (!binary->left.type().is_integer() || !binary->left.type().is_scalar()) return {};
  const Expr left = as_index(binary->left), right = as_index(binary->right);
  switch (binary->op) {
    case BinaryOp::lt: return {right - left - 1};
    case BinaryOp::le: return {right - left};
    case BinaryOp::gt: return {left - right - 1};
    case BinaryOp::ge: return {left - right};
    case BinaryOp::eq: return {right - left, left - right};
    default: return {};
  }
}

namespace {

Expr lane_of(const Expr& e, const Expr& lane) {
  if (!e.defined() || e.type().is_scalar()) return e;
  if (const auto* ramp = e.as<Ramp>()) return ramp->base + ramp->stride * make_cast(ramp->base.type(), lane);
  if (const auto* broadcast = e.as<Broadcast>()) return broadcast->value;
  if (const auto* cast = e.as<Cast>()) {
    const Expr value = lane_of(cast->value, lane);
    return value.defined() ? make_cast(e.type().element(), value) : Expr();
  }
  if (const auto* unary = e.as<Unary>()) {
    const Expr operand = lane_of(unary->operand, lane);
    return operand.defined() ? make_unary(unary->op, operand) : Expr();
  }
  if (const auto* binary = e.as<Binary>()) {
    const Expr left = lane_of(binary->left, lane), right = lane_of(binary->right, lane);
    return left.defined() && right.defined() ? make_binary(binary->op, left, right) : Expr();
  }
  if (const auto* select = e.as<Select>()) {
    const Expr condition = lane_of(select->condition, lane), when_true = lane_of(select->when_true, lane),
               when_false = lane_of(select->when_false, lane);
    return condition.defined() && when_true.defined() && when_false.defined()
               ? make_select(condition, when_true, when_false)
               : Expr();
  }
  return {};
}

}  // namespace

Expr one_lane(const Expr& e, const Expr& lane) { return lane_of(e, lane); }

}  // namespace ardea::arith
