#include "ardea/rules/expressed.h"

#include <algorithm>
#include <array>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/support/error.h"

namespace ardea::rules {

namespace {

using space::Formula;
using space::Relation;
using space::Term;

[[noreturn]] void cannot_say(const Expr& e, const std::string& why) {
  fail("the constraint language cannot say {}: {}", print(e), why);
}

std::optional<Relation> relation_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::eq: return Relation::eq;
    case BinaryOp::ne: return Relation::ne;
    case BinaryOp::lt: return Relation::lt;
    case BinaryOp::le: return Relation::le;
    case BinaryOp::gt: return Relation::gt;
    case BinaryOp::ge: return Relation::ge;
    default: return std::nullopt;
  }
}

/// What a call for a hint is about.
const Expr* hinted(const Expr& e) {
  const auto* call = e.as<Call>();
  return call != nullptr && call->op->name == "likely" ? &call->arguments[0] : nullptr;
}

/// The condition and the two values of a choice.
struct Selection {
  Expr condition, yes, no;
};
std::optional<Selection> choice_of(const Expr& e) {
  if (const auto* select = e.as<Select>())
    return Selection{select->condition, select->when_true, select->when_false};
  const auto* call = e.as<Call>();
  if (call == nullptr || call->op->name != "if_then_else") return std::nullopt;
  return Selection{call->arguments[0], call->arguments[1], call->arguments[2]};
}

}  // namespace

namespace {

bool is_said(BinaryOp op) {
  constexpr std::array said = {BinaryOp::add,       BinaryOp::sub, BinaryOp::mul, BinaryOp::floor_div,
                               BinaryOp::floor_mod, BinaryOp::min, BinaryOp::max};
  return std::find(said.begin(), said.end(), op) != said.end();
}

}  // namespace

Term Expressed::term(const Expr& e) const {
  if (!e.type().is_scalar() || !e.type().is_integer()) cannot_say(e, "its variables are integers");
  if (e.type().is_bool()) return space::truth(formula(e));
  if (const auto value = constant_int(e)) return *value;
  if (e.is<VarNode>()) {
    const auto at = variables_.find(Var(e));
    if (at == variables_.end()) cannot_say(e, "it is no variable of the template");
    return at->second;
  }
  if (const auto* cast = e.as<Cast>()) {
    // Of a bool, and into a type that holds every value.
    if (cast->value.type().is_bool() ||
        (e.type().is_int() && cast->value.type().is_int() && e.type().bits >= cast->value.type().bits))
      return term(cast->value);
    cannot_say(e, "the conversion may change the value");
  }
  if (const Expr* inside = hinted(e)) return term(*inside);
  if (const auto choice = choice_of(e))
    return space::select(space::truth(formula(choice->condition)), {term(choice->no), term(choice->yes)});
  if (const auto* unary = e.as<Unary>(); unary != nullptr && unary->op == UnaryOp::negate)
    return Term(-1) * term(unary->operand);
  const auto* binary = e.as<Binary>();
  if (binary == nullptr) cannot_say(e, "it is no arithmetic on variables");
  if (!is_said(binary->op)) cannot_say(e, "there is no such operation");
  // One after the other: of two that cannot be said the left one is named, whatever the compiler.
  Term left = term(binary->left);
  Term right = term(binary->right);
  switch (binary->op) {
    case BinaryOp::add: return left + right;
    case BinaryOp::sub: return left - right;
    case BinaryOp::mul: return left * right;
    case BinaryOp::floor_div: return space::floor_div(left, right);
    case BinaryOp::floor_mod: return space::modulo(left, right);
    case BinaryOp::min: return space::min_of({left, right});
    default: return space::max_of({left, right});
  }
}

Formula Expressed::formula(const Expr& condition) const {
  if (!condition.type().is_scalar() || !condition.type().is_bool())
    cannot_say(condition, "it is no condition");
  if (const auto value = constant_int(condition)) return *value != 0 ? space::all_of({}) : space::any_of({});
  if (const Expr* inside = hinted(condition)) return formula(*inside);
  if (const auto* unary = condition.as<Unary>(); unary != nullptr && unary->op == UnaryOp::logical_not)
    return space::negation(formula(unary->operand));
  if (const auto choice = choice_of(condition)) {
    const Formula chosen = formula(choice->condition);
    return space::all_of({space::implies(chosen, formula(choice->yes)),
                          space::implies(space::negation(chosen), formula(choice->no))});
  }
  const auto* binary = condition.as<Binary>();
  if (binary == nullptr) cannot_say(condition, "it is no comparison of variables");
  if (binary->op == BinaryOp::logical_and)
    return space::all_of({formula(binary->left), formula(binary->right)});
  if (binary->op == BinaryOp::logical_or)
    return space::any_of({formula(binary->left), formula(binary->right)});
  const auto relation = relation_of(binary->op);
  if (!relation) cannot_say(condition, "it is no comparison of variables");
  // a % b == 0 by what it means, which solvers know more about.
  const auto* remainder = binary->left.as<Binary>();
  if (remainder != nullptr && remainder->op == BinaryOp::floor_mod && constant_int(binary->right) == 0 &&
      (*relation == Relation::eq || *relation == Relation::ne)) {
    const Term number = term(remainder->left), divisor = term(remainder->right);
    const Formula whole = space::divides(divisor, number);
    return *relation == Relation::eq ? whole : space::negation(whole);
  }
  const Term left = term(binary->left);
  return space::compare(left, *relation, term(binary->right));
}

}  // namespace ardea::rules
