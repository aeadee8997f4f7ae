#include "ardea/cost/arithmetic.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"

namespace ardea::cost {

namespace {

using Value = Formulas::Value;

/// Vector operations that a quotient and a function are about: by how lowering writes functions out, and by
/// what cores say of their dividers.
constexpr double operations_of_div = 6, operations_of_special = 20;

class ArithmeticWalk {
 public:
  ArithmeticWalk(Formulas& formulas, const std::function<Value(const Expr&)>& share_of)
      : formulas_(formulas), share_of_(share_of) {
    const Value zero = formulas_.number(0);
    counted_.arithmetic = {zero, zero, zero, zero, zero, zero, zero, zero};
  }

  Counted count(const Expr& value) {
    visit(value, formulas_.number(1));
    return std::move(counted_);
  }

 private:
  void visit(const Expr& e, Value share) {
    if (formulas_.constant(share) == 0.0 || e.is<IntImm>() || e.is<FloatImm>() || e.is<VarNode>()) return;
    if (!is_first(e, share)) return;
    if (const auto* load = e.as<Load>()) {
      counted_.loads.push_back({*load, share});
      return;  // indices are addresses, which cost nothing of their own
    }
    if (const auto* choice = e.as<Select>()) {
      visit_choice(choice->condition, choice->when_true, choice->when_false, share);
      return;
    }
    const auto* call = e.as<Call>();
    if (call != nullptr && call->op->name == "if_then_else") {
      visit_choice(call->arguments[0], call->arguments[1], call->arguments[2], share);
      return;
    }
    count_node(e, share);
  }

  void visit_choice(const Expr& condition, const Expr& when_true, const Expr& when_false, Value share) {
    const Value holds = share_of_(condition);
    if (holds == Formulas::unknown) {  // it depends on data: both sides are computed, and one is chosen
      add(counted_.arithmetic.compare, share);
      visit(condition, share);
      visit(when_true, share);
      visit(when_false, share);
      return;
    }
    visit(when_true, formulas_.multiply(share, holds));
    visit(when_false, formulas_.multiply(share, formulas_.negation(holds)));
  }

  void count_node(const Expr& e, Value share) {
    Arithmetic& sums = counted_.arithmetic;
    const DataType type = e.type();
    if (const auto* binary = e.as<Binary>()) {
      const bool is_float = binary->left.type().is_float();
      if (is_comparison(binary->op) || binary->op == BinaryOp::min || binary->op == BinaryOp::max)
        add(is_float ? sums.compare : sums.integer, share);
      else if (!is_float)
        add(sums.integer, share);
      else if (binary->op == BinaryOp::add || binary->op == BinaryOp::sub)
        return count_sum(*binary, share);
      else if (binary->op == BinaryOp::mul)
        add(sums.mul, share);
      else
        add(sums.div, share);
    } else if (e.is<Unary>()) {
      add(type.is_float() ? sums.compare : sums.integer, share);
    } else if (const auto* cast = e.as<Cast>()) {
      if (cast->value.type() != type) add(sums.casts, share);
    } else if (const auto* call = e.as<Call>()) {
      count_call(*call, type, share);
    }
    for_each_child(e, [&](const Expr& part) { visit(part, share); });
  }

  /// One of its products is multiplied and added in one.
  void count_sum(const Binary& sum, Value share) {
    for (const Expr* side : {&sum.right, &sum.left}) {
      const auto* product = side->as<Binary>();
      if (product == nullptr || product->op != BinaryOp::mul || !is_first(*side, share)) continue;
      add(counted_.arithmetic.fma, share);
      visit(product->left, share);
      visit(product->right, share);
      visit(side == &sum.right ? sum.left : sum.right, share);
      return;
    }
    add(counted_.arithmetic.add, share);
    visit(sum.left, share);
    visit(sum.right, share);
  }

  void count_call(const Call& call, DataType type, Value share) {
    Arithmetic& sums = counted_.arithmetic;
    const std::string_view name = call.op->name;
    if (name == "likely" || name == "reinterpret" || name == "address_of") return;
    if (!type.is_float() && !type.is_bool())
      add(sums.integer, share);
    else if (name == "fma")
      add(sums.fma, share);
    else if (name == "abs" || name == "copysign" || name == "floor" || name == "ceil" || name == "round" ||
             name == "nearbyint" || name == "trunc" || type.is_bool())
      add(sums.compare, share);
    else
      add(sums.special, share);
  }

  void add(Value& sum, Value share) { sum = formulas_.add(sum, share); }

  /// Whether no part like this one was met before, as often.
  bool is_first(const Expr& e, Value share) {
    std::vector<std::pair<Expr, Value>>& alike = met_[structural_hash(e)];
    const auto same = [&](const std::pair<Expr, Value>& one) {
      return one.second == share && structurally_equal(one.first, e);
    };
    if (std::any_of(alike.begin(), alike.end(), same)) return false;
    alike.emplace_back(e, share);
    return true;
  }

  Formulas& formulas_;
  const std::function<Value(const Expr&)>& share_of_;
  Counted counted_;
  std::unordered_map<std::uint64_t, std::vector<std::pair<Expr, Value>>> met_;
};

}  // namespace

Value Arithmetic::operations(Formulas& formulas) const {
  Value sum = formulas.add(fma, formulas.add(add, mul));
  sum = formulas.add(sum, formulas.add(compare, formulas.add(integer, casts)));
  sum = formulas.add(sum, formulas.multiply(formulas.number(operations_of_div), div));
  return formulas.add(sum, formulas.multiply(formulas.number(operations_of_special), special));
}

Counted count_arithmetic(const Expr& value, Formulas& formulas,
                         const std::function<Value(const Expr&)>& share_of) {
  return ArithmeticWalk(formulas, share_of).count(value);
}

}  // namespace ardea::cost
