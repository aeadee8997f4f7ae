#include "ardea/cost/guard_shares.h"

#include <algorithm>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/layout.h"
#include "ardea/ir/substitute.h"

namespace ardea::cost {

using Value = Formulas::Value;

GuardShares::GuardShares(Surroundings& surroundings)
    : surroundings_(surroundings), f_(surroundings.formulas()), zero_(f_.number(0)), one_(f_.number(1)) {}

void GuardShares::enter(const std::vector<Guard>& guards) {
  guards_.insert(guards_.end(), guards.begin(), guards.end());
}

GuardShares::Values GuardShares::values_of(const Expr& e) {
  const Value middle = surroundings_.value_of(e), none = f_.number(1e18);
  Value low = middle, high = middle, apart = none;
  for (const Around& loop : surroundings_.loops()) {
    const Value last = f_.add(loop.min, f_.subtract(loop.extent, one_));
    const Value first_value = surroundings_.value_of(e, loop.var, loop.min);
    const Value last_value = surroundings_.value_of(e, loop.var, last);
    low = f_.add(low, f_.subtract(f_.min(first_value, last_value), middle));
    high = f_.add(high, f_.subtract(f_.max(first_value, last_value), middle));
    const Value after_middle = f_.add(surroundings_.middle_of(loop), one_);
    const Value next = surroundings_.value_of(e, loop.var, after_middle);
    const Value step = f_.magnitude(f_.subtract(next, middle));
    const Value moves = f_.multiply(f_.more_than_one(loop.extent), f_.less(zero_, step));
    apart = f_.min(apart, f_.select(moves, step, none));
  }
  return {low, high, f_.select(f_.less(apart, none), apart, one_)};
}

Value GuardShares::share_of(const Expr& condition, std::vector<Guard>& found) {
  std::vector<Guard> others;  // of what need not hold
  if (const auto* call = condition.as<Call>(); call != nullptr && call->op->name == "likely")
    return share_of(call->arguments[0], found);
  if (const auto* negated = condition.as<Unary>(); negated != nullptr && negated->op == UnaryOp::logical_not)
    return f_.negation(share_of(negated->operand, others));
  const auto* binary = condition.as<Binary>();
  if (binary == nullptr || binary->left.type().is_float()) return surroundings_.value_of(condition);
  if (binary->op == BinaryOp::logical_and) return share_of_both(binary->left, binary->right, found);
  if (binary->op == BinaryOp::logical_or)
    return f_.negation(f_.multiply(f_.negation(share_of(binary->left, others)),
                                   f_.negation(share_of(binary->right, others))));
  if (!is_comparison(binary->op) || binary->left.type().is_bool()) return surroundings_.value_of(condition);
  return share_of_comparison(*binary, found);
}

Value GuardShares::share_of_both(const Expr& left, const Expr& right, std::vector<Guard>& found) {
  std::vector<Guard> of_left;
  const Value share = share_of(left, of_left);
  const std::size_t before = count();
  enter(of_left);
  const Value both = f_.multiply(share, share_of(right, found));
  leave(before);
  found.insert(found.end(), of_left.begin(), of_left.end());
  return both;
}

Value GuardShares::share_of_comparison(const Binary& comparison, std::vector<Guard>& found) {
  const Expr difference = as_index(comparison.left) - as_index(comparison.right);
  const Value share = share_of(comparison.op, values_of(difference));
  if (share == Formulas::unknown || comparison.op == BinaryOp::eq || comparison.op == BinaryOp::ne)
    return share;
  Guard guard{share, {}};
  for (const Around& loop : surroundings_.loops())
    if (uses(difference, loop.var)) guard.loops.push_back(loop.var);
  // Of conditions on the same loops, the one that holds less often implies the others.
  Value around = one_;
  for (const Guard& other : guards_)
    if (std::find_first_of(guard.loops.begin(), guard.loops.end(), other.loops.begin(), other.loops.end()) !=
        guard.loops.end())
      around = f_.min(around, other.share);
  guard.share = f_.min(share, around);
  const Value here = f_.divide(guard.share, around);
  found.push_back(std::move(guard));
  return here;
}

Value GuardShares::share_of(BinaryOp relation, const Values& values) {
  const auto [low, high, apart] = values;
  const auto steps = [&, by = apart](Value distance) {
    return f_.apply(Formulas::Op::floor_div, distance, by);
  };
  const Value count = f_.add(steps(f_.subtract(high, low)), one_);
  const auto part = [&](Value some) { return f_.divide(f_.max(zero_, f_.min(some, count)), count); };
  switch (relation) {
    case BinaryOp::lt: return part(f_.ceil_div(f_.subtract(zero_, low), apart));
    case BinaryOp::le: return part(f_.add(steps(f_.subtract(zero_, low)), one_));
    case BinaryOp::gt: return part(f_.ceil_div(high, apart));
    case BinaryOp::ge: return part(f_.add(steps(high), one_));
    default: break;
  }
  const Value lies_between = f_.multiply(f_.negation(f_.less(zero_, low)), f_.negation(f_.less(high, zero_)));
  const Value is_met =
      f_.multiply(lies_between, f_.equal(f_.apply(Formulas::Op::floor_mod, low, apart), zero_));
  const Value equals = f_.divide(is_met, count);
  return relation == BinaryOp::eq ? equals : f_.negation(equals);
}

}  // namespace ardea::cost
