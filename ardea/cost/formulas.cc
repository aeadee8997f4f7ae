#include "ardea/cost/formulas.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "ardea/ir/intrinsics.h"
#include "ardea/support/error.h"

namespace ardea::cost {

namespace {

using Op = Formulas::Op;

double computed(Op op, double a, double b, double c) {
  switch (op) {
    case Op::add: return a + b;
    case Op::subtract: return a - b;
    case Op::multiply: return a * b;
    case Op::divide: return b == 0 ? 0 : a / b;
    case Op::floor_div: return b == 0 ? 0 : std::floor(a / b);
    case Op::floor_mod: return b == 0 ? 0 : a - b * std::floor(a / b);
    case Op::trunc_div: return b == 0 ? 0 : std::trunc(a / b);
    case Op::trunc_mod: return b == 0 ? 0 : a - b * std::trunc(a / b);
    case Op::min: return std::min(a, b);
    case Op::max: return std::max(a, b);
    case Op::less: return a < b ? 1 : 0;
    case Op::equal: return a == b ? 1 : 0;
    case Op::select: return a != 0 ? b : c;
    case Op::ceil: return std::ceil(a);
    case Op::log2: return std::log2(a);
    case Op::number:
    case Op::input: break;
  }
  return 0;
}

int operands(Op op) {
  switch (op) {
    case Op::number:
    case Op::input: return 0;
    case Op::ceil:
    case Op::log2: return 1;
    case Op::select: return 3;
    default: return 2;
  }
}

}  // namespace

Formulas::Value Formulas::place(const Step& step) {
  const auto [known, is_new] = known_.emplace(std::tuple(step.op, step.a, step.b, step.c, step.number),
                                              static_cast<Value>(steps_.size()));
  if (is_new) steps_.push_back(step);
  return known->second;
}

Formulas::Value Formulas::number(double value) { return place({.op = Op::number, .number = value}); }

Formulas::Value Formulas::input(std::size_t index) {
  return place({.op = Op::input, .a = static_cast<Value>(index)});
}

std::optional<double> Formulas::constant(Value value) const {
  if (value == unknown) return std::nullopt;
  const Step& step = steps_[static_cast<std::size_t>(value)];
  return step.op == Op::number ? std::optional(step.number) : std::nullopt;
}

Formulas::Value Formulas::apply(Op op, Value a, Value b, Value c) {
  const int count = operands(op);
  if (op == Op::select && constant(a)) return *constant(a) != 0 ? b : c;
  if (a == unknown || (count > 1 && b == unknown) || (count > 2 && c == unknown)) return unknown;
  if (count < 2) b = 0;
  if (count < 3) c = 0;
  const auto x = constant(a), y = count > 1 ? constant(b) : std::optional(0.0),
             z = count > 2 ? constant(c) : std::optional(0.0);
  if (x && y && z) return number(computed(op, *x, *y, *z));
  const auto is = [](const std::optional<double>& value, double what) { return value && *value == what; };
  switch (op) {
    case Op::add:
      if (is(x, 0)) return b;
      if (is(y, 0)) return a;
      break;
    case Op::subtract:
      if (is(y, 0)) return a;
      if (a == b) return number(0);
      break;
    case Op::multiply:
      if (is(x, 0) || is(y, 1)) return a;
      if (is(y, 0) || is(x, 1)) return b;
      break;
    case Op::divide:
    case Op::floor_div:
    case Op::trunc_div:
      if (is(x, 0) || is(y, 1)) return a;
      break;
    case Op::min:
    case Op::max:
      if (a == b) return a;
      break;
    case Op::select:
      if (b == c) return b;
      break;
    default: break;
  }
  return place({.op = op, .a = a, .b = b, .c = c});
}

Formulas::Value Formulas::of(const Expr& e, const Environment& variables) {
  std::unordered_map<Expr, Value> done;
  return of(e, variables, done);
}

Formulas::Value Formulas::of(const Expr& e, const Environment& variables,
                             std::unordered_map<Expr, Value>& done) {
  if (const auto known = done.find(e); known != done.end()) return known->second;
  const auto part = [&](const Expr& x) { return of(x, variables, done); };
  Value value = unknown;
  if (const auto constant = constant_int(e)) {
    value = number(static_cast<double>(*constant));
  } else if (e.is<VarNode>()) {
    const auto found = variables.find(Var(e));
    if (found != variables.end()) value = found->second;
  } else if (const auto* cast = e.as<Cast>()) {
    if (e.type().is_int() || e.type().is_uint() || e.type().is_bool()) value = part(cast->value);
  } else if (const auto* unary = e.as<Unary>()) {
    const Value operand = part(unary->operand);
    if (unary->op == UnaryOp::negate) value = subtract(number(0), operand);
    if (unary->op == UnaryOp::logical_not) value = negation(operand);
  } else if (const auto* choice = e.as<Select>()) {
    value = select(part(choice->condition), part(choice->when_true), part(choice->when_false));
  } else if (const auto* let = e.as<Let>()) {
    Environment inner = variables;
    inner[let->var] = part(let->value);
    value = of(let->body, inner);
  } else if (const auto* call = e.as<Call>()) {
    if (call->op->name == "likely") value = part(call->arguments[0]);
    if (call->op->name == "if_then_else")
      value = select(part(call->arguments[0]), part(call->arguments[1]), part(call->arguments[2]));
  } else if (const auto* ramp = e.as<Ramp>()) {
    value = part(ramp->base);
  } else if (const auto* broadcast = e.as<Broadcast>()) {
    value = part(broadcast->value);
  } else if (const auto* binary = e.as<Binary>()) {
    const Value a = part(binary->left), b = part(binary->right);
    switch (binary->op) {
      case BinaryOp::add: value = add(a, b); break;
      case BinaryOp::sub: value = subtract(a, b); break;
      case BinaryOp::mul:
      case BinaryOp::logical_and: value = multiply(a, b); break;
      case BinaryOp::floor_div: value = apply(Op::floor_div, a, b); break;
      case BinaryOp::floor_mod: value = apply(Op::floor_mod, a, b); break;
      case BinaryOp::trunc_div: value = apply(Op::trunc_div, a, b); break;
      case BinaryOp::trunc_mod: value = apply(Op::trunc_mod, a, b); break;
      case BinaryOp::min: value = min(a, b); break;
      case BinaryOp::max:
      case BinaryOp::logical_or: value = max(a, b); break;
      case BinaryOp::eq: value = equal(a, b); break;
      case BinaryOp::ne: value = negation(equal(a, b)); break;
      case BinaryOp::lt: value = less(a, b); break;
      case BinaryOp::le: value = negation(less(b, a)); break;
      case BinaryOp::gt: value = less(b, a); break;
      case BinaryOp::ge: value = negation(less(a, b)); break;
      default: break;
    }
  }
  done.emplace(e, value);
  return value;
}

void Formulas::keep(const std::vector<Value>& outputs) {
  std::vector<bool> is_needed(steps_.size());
  for (const Value output : outputs) {
    ensure(output != unknown, "Formulas: an output is unknown");
    is_needed[static_cast<std::size_t>(output)] = true;
  }
  for (std::size_t i = steps_.size(); i-- > 0;) {
    if (!is_needed[i]) continue;
    const Step& step = steps_[i];
    const Value parts[] = {step.a, step.b, step.c};
    for (int p = 0; p < operands(step.op); ++p) is_needed[static_cast<std::size_t>(parts[p])] = true;
  }
  std::vector<Value> moved(steps_.size());
  std::vector<Step> kept;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (!is_needed[i]) continue;
    Step step = steps_[i];
    Value* const parts[] = {&step.a, &step.b, &step.c};
    for (int p = 0; p < operands(step.op); ++p) *parts[p] = moved[static_cast<std::size_t>(*parts[p])];
    moved[i] = static_cast<Value>(kept.size());
    kept.push_back(step);
  }
  outputs_.clear();
  for (const Value output : outputs) outputs_.push_back(moved[static_cast<std::size_t>(output)]);
  steps_ = std::move(kept);
  known_.clear();
}

void Formulas::compute(std::span<const double> inputs, std::vector<double>& work,
                       std::span<double> outputs) const {
  work.resize(steps_.size());
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    if (step.op == Op::number)
      work[i] = step.number;
    else if (step.op == Op::input)
      work[i] = inputs[static_cast<std::size_t>(step.a)];
    else
      work[i] = computed(step.op, work[static_cast<std::size_t>(step.a)],
                         work[static_cast<std::size_t>(step.b)], work[static_cast<std::size_t>(step.c)]);
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) outputs[i] = work[static_cast<std::size_t>(outputs_[i])];
}

std::vector<std::vector<std::size_t>> Formulas::inputs_behind() const {
  std::vector<std::set<std::size_t>> behind(steps_.size());
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    if (step.op == Op::input) behind[i] = {static_cast<std::size_t>(step.a)};
    const Value parts[] = {step.a, step.b, step.c};
    for (int p = 0; p < operands(step.op); ++p) {
      const auto& more = behind[static_cast<std::size_t>(parts[p])];
      behind[i].insert(more.begin(), more.end());
    }
  }
  std::vector<std::vector<std::size_t>> by_output;
  for (const Value output : outputs_) {
    const auto& all = behind[static_cast<std::size_t>(output)];
    by_output.emplace_back(all.begin(), all.end());
  }
  return by_output;
}

}  // namespace ardea::cost
