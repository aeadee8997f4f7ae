#include "ardea/arith/analyzer.h"

#include <algorithm>
#include <numeric>

#include "ardea/arith/content.h"
#include "ardea/arith/inside.h"
#include "ardea/arith/scopes.h"
#include "ardea/arith/work.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/error.h"
#include "ardea/support/format_type.h"

namespace ardea::arith {

namespace {

using What = AskedAbout::What;

/// The order of two numbers needs no facts, nor does that of a value and itself.
std::optional<bool> order_without_facts(const Expr& condition) {
  const auto* compared = condition.as<Binary>();
  if (compared == nullptr || !is_comparison(compared->op) || !compared->left.type().is_int())
    return std::nullopt;
  if (compared->left.type().is_scalar() && same_content(compared->left, compared->right))
    return compared->op == BinaryOp::eq || compared->op == BinaryOp::le || compared->op == BinaryOp::ge;
  const auto *a = compared->left.as<IntImm>(), *b = compared->right.as<IntImm>();
  if (a == nullptr || b == nullptr) return std::nullopt;
  switch (compared->op) {
    case BinaryOp::eq: return a->value == b->value;
    case BinaryOp::ne: return a->value != b->value;
    case BinaryOp::lt: return a->value < b->value;
    case BinaryOp::le: return a->value <= b->value;
    case BinaryOp::gt: return a->value > b->value;
    default: return a->value >= b->value;
  }
}

/// For all parts of an expression that is too dear as a whole.
constexpr std::int64_t steps_of_parts = 3 * steps_of_a_question;

/// Each part by itself.
Expr with_simple_parts(const Expr& e, const Analyzer& facts) {
  const auto* call = e.as<Call>();
  if (call == nullptr || call->op->name != "if_then_else")
    return map_children(e, Mapper{.expr = [&](const Expr& part) { return facts.simplify(part); }});
  const Expr& condition = call->arguments[0];
  Analyzer where_true = facts, where_false = facts;
  if (condition.type().is_scalar()) {
    where_true.assume(condition);
    where_false.assume(logical_not(condition));
  }
  return make_call("if_then_else", {facts.simplify(condition), where_true.simplify(call->arguments[1]),
                                    where_false.simplify(call->arguments[2])});
}

}  // namespace

Analyzer::Analyzer() = default;
Analyzer::Analyzer(const Analyzer&) = default;
Analyzer& Analyzer::operator=(const Analyzer&) = default;
Analyzer::~Analyzer() = default;

void Analyzer::bind(const Var& var, const Range& range) {
  ensure(var.type().is_integer(), "bind({}): the variable is {}, must be an integer", var.name(), var.type());
  facts_ = with_fact(facts_, BoundVariable{var, range});
}

void Analyzer::parameter(const Var& var, std::int64_t least, std::int64_t divisor) {
  ensure(least >= 1 && divisor >= 1, "parameter({}, least {}, divisor {}): both must be positive", var.name(),
         least, divisor);
  facts_ = with_fact(facts_, PositiveParameter{var, least, divisor});
}

void Analyzer::define(const Var& var, const Expr& value) {
  facts_ = with_fact(facts_, DefinedVariable{var, value});
}

void Analyzer::data(const Var& var) { facts_ = with_fact(facts_, DataVariable{var}); }

void Analyzer::assume(const Expr& condition) {
  if (is_true(condition)) return;
  facts_ = with_fact(facts_, AssumedCondition{condition});
}

Expr Analyzer::simplify(const Expr& e) const {
  if (!e.defined() || e.is<IntImm>() || e.is<FloatImm>() || e.is<StringImm>()) return e;
  const auto whole = [&](const Expr& x) {
    return remembered(facts_, {What::simple_form, {x}}, Expr(),
                      [&](Reasoner& reasoner) { return reasoner.simplify_with_effects(x); });
  };
  if (const Expr simple = whole(e); simple.defined()) return simple;
  // It costs more than one question may. What is read from memory has indices and conditions that are
  // expressions of their own: they may cost less, and then the whole does.
  if (Question::is_exhausted() || !reads_memory(e)) return e;
  const Question of_parts(steps_of_parts);
  const Expr by_parts = with_simple_parts(e, *this);
  if (structurally_equal(by_parts, e)) return e;
  const Expr simple = whole(by_parts);
  return simple.defined() ? simple : by_parts;
}

Proof Analyzer::prove(const Expr& condition) const {
  if (is_true(condition)) return Proof::proved;
  ensure(condition.type().is_bool(), "prove: the condition is {}, must be bool", condition.type());
  if (has_effect(condition)) return Proof::unknown;
  if (const auto holds = order_without_facts(condition)) return *holds ? Proof::proved : Proof::refuted;
  return remembered(facts_, {What::truth, {condition}}, Proof::unknown,
                    [&](Reasoner& reasoner) { return reasoner.decide(condition); });
}

ConstantBounds Analyzer::constant_bounds(const Expr& e) const {
  ensure(e.type().is_integer(), "constant_bounds: the expression is {}, must be an integer", e.type());
  const Interval all = values_of(e.type());
  const Interval result =
      has_effect(e) ? all : remembered(facts_, {What::constant_bounds, {e}}, all, [&](Reasoner& reasoner) {
        const auto exact = reasoner.ideal(reasoner.normalise(e), e.type());
        return exact ? intersect(all, reasoner.interval(*exact)) : all;
      });
  return {low_of(result), high_of(result)};
}

namespace {

SymbolicBounds bounds_of(DataType type) {
  const Interval values = values_of(type);
  const auto side = [&](std::optional<std::int64_t> value) {
    return value ? make_int(*value, type.element()) : Expr();
  };
  return {side(low_of(values)), side(high_of(values))};
}

SymbolicBounds bounds_of(Reasoner& reasoner, const Expr& e) {
  const DataType type = e.type();
  const auto exact = reasoner.ideal(reasoner.normalise(e), type);
  if (!exact) return bounds_of(type);
  const auto side = [&](bool upper) {
    auto end = reasoner.extreme(*exact, upper);
    if (end && reasoner.lanes_of(*end) > 1) {  // a bound holds for every lane, so no vector may be left in it
      const Interval values = reasoner.interval(*exact);
      const auto value = upper ? high_of(values) : low_of(values);
      end = value ? std::optional(constant_polynomial(*value)) : std::nullopt;
    }
    return end && reasoner.fits(*end, type) ? reasoner.rebuild(*end, type.element()) : Expr();
  };
  return {side(false), side(true)};
}

}  // namespace

SymbolicBounds Analyzer::bounds(const Expr& e) const {
  std::vector<Var> variables;
  for (const Facts* f = facts_.get(); f; f = f->older.get())
    if (const auto* bound = std::get_if<BoundVariable>(&f->fact)) variables.push_back(bound->var);
  return bounds(e, variables);
}

SymbolicBounds Analyzer::bounds(const Expr& e, const std::vector<Var>& variables) const {
  ensure(e.type().is_integer(), "bounds: the expression is {}, must be an integer", e.type());
  if (has_effect(e)) return {};
  AskedAbout about{What::bounds, {e}};
  about.exprs.insert(about.exprs.end(), variables.begin(), variables.end());
  return remembered(facts_, about, bounds_of(e.type()), [&](Reasoner& reasoner) {
    Reasoner::AtomSet ranging;
    for (const Var& var : variables) ranging.insert(reasoner.variable_atom(var));
    if (e.type().is_vector()) ranging.insert(reasoner.lane_atom(e.type().lanes));
    reasoner.range_over(std::move(ranging));
    return bounds_of(reasoner, e);
  });
}

Congruence Analyzer::congruence(const Expr& e) const {
  ensure(e.type().is_integer(), "congruence: the expression is {}, must be an integer", e.type());
  if (has_effect(e)) return {};
  return remembered(facts_, {What::congruence, {e}}, Congruence{}, [&](Reasoner& reasoner) -> Congruence {
    const Polynomial p = reasoner.normalise(e);
    if (const auto exact = reasoner.ideal(p, e.type())) return reasoner.congruence(*exact);
    // Where the sum may wrap, only what divides 2^bits survives.
    const Congruence modular = reasoner.congruence(p);
    const std::int64_t turn = std::int64_t{1} << std::min<int>(e.type().bits, 62);
    const std::int64_t multiple = std::gcd(modular.multiple, turn);
    return {multiple, floor_remainder(modular.remainder, multiple)};
  });
}

std::optional<Range> Analyzer::range_of(const Var& var) const {
  for (const Facts* f = facts_.get(); f; f = f->older.get())
    if (const auto* bound = std::get_if<BoundVariable>(&f->fact); bound && bound->var == var)
      return bound->range;
  return std::nullopt;
}

namespace {

/// The least value that an assumption of the form var >= c gives the variable.
std::int64_t least_value(const Function& f, const Var& var) {
  std::int64_t least = 0;
  for (const Expr& condition : f.assumptions) {
    const auto* node = condition.as<Binary>();
    if (node == nullptr) continue;
    const bool rises = node->op == BinaryOp::ge || node->op == BinaryOp::gt;
    if (!rises && node->op != BinaryOp::le && node->op != BinaryOp::lt) continue;
    const auto bound = constant_int(rises ? node->right : node->left);
    if (!bound || !((rises ? node->left : node->right) == var)) continue;
    const bool strict = node->op == BinaryOp::gt || node->op == BinaryOp::lt;
    least = std::max(least, *bound + (strict ? 1 : 0));
  }
  return least;
}

/// Whether the variable is an extent of an array that the function takes. A call compares it with the array's
/// extent, which is at least 1 for every symbolic one: no call gets into the body with less. A stride may be
/// 0.
bool is_extent(const Function& f, const Var& var) {
  return std::any_of(f.parameters.begin(), f.parameters.end(), [&](const Parameter& p) {
    return p.buffer.defined() && std::any_of(p.buffer->shape.begin(), p.buffer->shape.end(),
                                             [&](const Expr& extent) { return extent == var; });
  });
}

}  // namespace

Analyzer facts_of(const Function& f) {
  Analyzer facts;
  // A scalar parameter, or a symbolic stride, that is assumed to be positive is one as a symbolic extent is.
  const auto add = [&](const Var& var) {
    if (const auto least = std::max<std::int64_t>(is_extent(f, var) ? 1 : 0, least_value(f, var)); least >= 1)
      facts.parameter(var, least);
  };
  for (const Var& var : shape_variables(f)) add(var);
  for (const Parameter& p : f.parameters)
    if (p.var.type().is_integer()) add(p.var);
  for (const Expr& condition : f.assumptions) facts.assume(condition);
  return facts;
}

}  // namespace ardea::arith
