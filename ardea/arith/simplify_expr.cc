#include <utility>

#include "ardea/arith/reasoner.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"

/// Which simplifier takes which expression, and those that serve every type: choices, lets, and calls with
/// effects.

namespace ardea::arith {

namespace {

// Each condition assumed doubles the work on what is shared between the sides; below this depth it is worth
// it.
constexpr int deepest_assumptions = 4;

bool touches_memory(const Expr& e) {
  return any_expr(e, [](const Expr& part) { return part.is<Load>() || part.is<Call>(); });
}

}  // namespace

std::optional<bool> constant_truth(const Expr& e) {
  if (!e.type().is_bool()) return std::nullopt;
  if (const auto* broadcast = e.as<Broadcast>()) return constant_truth(broadcast->value);
  if (const auto value = constant_int(e)) return *value != 0;
  return std::nullopt;
}

Expr truth(bool value, DataType type) {
  return type.is_scalar() ? make_bool(value) : make_broadcast(make_bool(value), type.lanes);
}

Expr Reasoner::simplify_with_effects(const Expr& e) {
  if (!has_effect(e)) return simplify(e);
  if (const Expr* known = answers_.simplified.find(e)) return *known;
  const Expr result =
      map_children(e, {.expr = [this](const Expr& part) { return simplify_with_effects(part); }});
  answers_.simplified.set(e, result);
  return result;
}

Expr Reasoner::simplify(const Expr& e) {
  if (const Expr* known = answers_.simplified.find(e)) return *known;
  Question::spend(4);
  Expr result = simplify_node(e);
  if (result != e && structurally_equal(result, e)) result = e;
  answers_.simplified.set(e, result);
  return result;
}

Expr Reasoner::simplify_node(const Expr& e) {
  const DataType type = e.type();
  if (type.is_integer() && !type.is_storage_only()) return rebuild(normalise(e), type);
  if (type.is_bool()) return simplify_bool(e);
  if (const auto* select = e.as<Select>())
    return simplify_choice(e, select->condition, select->when_true, select->when_false, false);
  if (const auto* call = e.as<Call>(); call && call->op->name == "if_then_else")
    return simplify_choice(e, call->arguments[0], call->arguments[1], call->arguments[2], true);
  if (const auto* let = e.as<Let>()) return simplify_let(e, *let);
  return type.is_float() ? simplify_float(e) : simplify_children(e);
}

Expr Reasoner::simplify_children(const Expr& e) {
  return map_children(e, {.expr = [this](const Expr& part) { return simplify(part); }});
}

Expr Reasoner::simplify_under(const Expr& condition, bool holds, const Expr& e) {
  if (e.is<IntImm>() || e.is<FloatImm>()) return e;
  if (contexts_.nesting >= deepest_assumptions || --*contexts_.left < 0) return simplify(e);
  Question::spend(16 + static_cast<std::int64_t>(atoms_.size()));
  Answers without_condition = std::exchange(answers_, {});  // not worth copying: they are forgotten there
  Reasoner inner = *this;
  answers_ = std::move(without_condition);
  ++inner.contexts_.nesting;
  inner.assume(condition, holds);
  inner.forget();
  return inner.simplify(e);
}

Expr Reasoner::simplify_choice(const Expr& e, const Expr& condition, const Expr& yes, const Expr& no,
                               bool lazy) {
  const Expr decided = simplify(condition);
  if (const auto value = constant_truth(decided)) return simplify(*value ? yes : no);
  // A side that is evaluated in any case may not rely on the condition for what it loads.
  const auto side = [&](const Expr& part, bool holds) {
    const bool relies = condition.type().is_scalar() && (lazy || !touches_memory(part));
    return relies ? simplify_under(decided, holds, part) : simplify(part);
  };
  const Expr when_true = side(yes, true), when_false = side(no, false);
  if (structurally_equal(when_true, when_false)) return when_true;
  if (decided == condition && when_true == yes && when_false == no) return e;
  if (const auto* call = e.as<Call>())
    return Expr(e.type(), Call{call->op, {decided, when_true, when_false}});
  return make_select(decided, when_true, when_false);
}

Expr Reasoner::simplify_let(const Expr& e, const Let& let) {
  const Expr value = simplify(let.value);
  if (value.is<IntImm>() || value.is<FloatImm>() || value.is<VarNode>())
    return simplify(substitute(let.body, let.var, value));
  understood_.variables.set(let.var, {.value = value, .order = understood_.next_order++});
  const Expr body = simplify(let.body);
  if (!uses(body, let.var)) return body;
  if (value == let.value && body == let.body) return e;
  // A let that two contexts share may come out differently in each, and two lets may not define one variable.
  const Var var(let.var.name(), let.var.type());
  return make_let(var, value, substitute(body, let.var, var));
}

}  // namespace ardea::arith
