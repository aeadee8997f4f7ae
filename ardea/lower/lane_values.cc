#include "ardea/lower/lane_values.h"

#include <algorithm>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/rules.h"
#include "ardea/support/error.h"
#include "ardea/support/overloaded.h"

namespace ardea::lower {

using arith::Analyzer;

namespace {

bool is_division(BinaryOp op) {
  return op == BinaryOp::floor_div || op == BinaryOp::floor_mod || op == BinaryOp::trunc_div ||
         op == BinaryOp::trunc_mod;
}

bool is_safe_divisor(const Expr& e) {
  const auto value = constant_int(e);
  return value && *value != 0;
}

/// Whether e can be evaluated anywhere: it touches no memory and divides by nothing that may be 0.
bool is_total(const Expr& e) {
  bool total = true;
  visit_exprs(e, [&](const Expr& x) {
    const auto* binary = x.as<Binary>();
    const auto* call = x.as<Call>();
    total = total && !x.is<Load>() && (call == nullptr || call->op->effect == Effect::pure) &&
            (binary == nullptr || !is_division(binary->op) || is_safe_divisor(binary->right));
  });
  return total;
}

/// A value that polynomials can say: a call, a load or a let has no stride that could be read off.
bool is_arithmetic(const Expr& e) {
  bool plain = true;
  visit_exprs(e, [&](const Expr& x) {
    plain = plain && !x.is<Load>() && !x.is<Call>() && !x.is<Let>() && !x.type().is_float();
  });
  return plain;
}

}  // namespace

LaneMask narrowed(const LaneMask& mask, const Expr& condition) {
  return {mask.lanes.defined() ? logical_and(mask.lanes, condition) : condition, false};
}

/// One expression under one mask.
class LaneEvaluation {
 public:
  LaneEvaluation(const LaneValues& values, LaneMask mask, const Analyzer& facts)
      : values_(values), mask_(std::move(mask)), facts_(facts) {}

  Expr at(const Expr& e) {
    if (values_.stays_scalar(e, mask_)) return e;
    const auto [found, added] = seen_.try_emplace(e);
    if (!added) return found->second;
    Expr out = computed(e);
    return seen_[e] = out;
  }

  Expr vector_at(const Expr& e) { return values_.widened(at(e)); }

 private:
  int lanes() const { return values_.loop_.lanes; }

  Expr computed(const Expr& e) {
    if (const Expr ramp = as_ramp(e); ramp.defined()) return ramp;
    return std::visit(
        overloaded{
            [&](const VarNode&) { return variable(Var(e)); },
            [&](const Cast& x) { return make_cast(e.type().with_lanes(lanes()), vector_at(x.value)); },
            [&](const Unary& x) { return make_unary(x.op, vector_at(x.operand)); },
            [&](const Binary& x) { return binary(x); },
            [&](const Select& x) {
              const Expr condition = at(x.condition);
              return make_select(condition, vector_at(x.when_true), vector_at(x.when_false));
            },
            [&](const Let& x) { return let(x); },
            [&](const Load& x) {
              const Expr rows = mask_.lanes.defined() ? Expr() : from_rows(x);
              return rows.defined() ? rows : make_load(x.buffer, {vector_at(x.indices.at(0))}, mask_.lanes);
            },
            [&](const Call& x) { return call(e, x); },
            [&](const auto&) -> Expr { throw InternalError("vectorize met a vector"); },
        },
        e.variant());
  }

  /// The lanes as a ramp (or one value, where the stride is 0): one address and a step, not an address each.
  Expr as_ramp(const Expr& e) {
    if (mask_.lanes.defined() && !is_total(e)) return {};
    const auto steps = values_.steps_of(e, facts_);
    if (!steps) return {};
    return is_zero(steps->stride) ? steps->first : make_ramp(steps->first, steps->stride, lanes());
  }

  /// A load whose lanes lie in a few rows of consecutive elements, as those of a transposed tile do: one load
  /// a row, and their lanes in order. Empty where the lanes lie otherwise.
  Expr from_rows(const Load& load) {
    // Most indices go in equal steps, and asking for each lane takes long.
    if (values_.steps_of(load.indices.at(0), facts_)) return {};
    const auto offsets = values_.offsets_of(load.indices.at(0), facts_);
    if (!offsets) return {};
    std::vector<std::int64_t> sorted = offsets->from_first;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    std::vector<std::int64_t> begins;
    for (std::size_t i = 0; i < sorted.size(); ++i)
      if (i == 0 || sorted[i] != sorted[i - 1] + 1) begins.push_back(sorted[i]);
    constexpr std::int64_t least = 4;  // lanes of a row: a gather is as good as many small loads
    const std::int64_t length = std::ssize(sorted) / std::ssize(begins);
    // Of rows of several lengths the last may be longer than the others.
    if (begins.size() < 2 || length < least || length * std::ssize(begins) != std::ssize(sorted)) return {};
    std::vector<Expr> rows;
    for (std::size_t r = 0; r < begins.size(); ++r) {
      if (sorted[r * static_cast<std::size_t>(length)] != begins[r]) return {};  // rows of several lengths
      const Expr first = facts_.simplify(offsets->first + make_int(begins[r], offsets->first.type()));
      const Expr one = make_int(1, first.type());
      rows.push_back(make_load(load.buffer, {make_ramp(first, one, static_cast<int>(length))}));
    }
    std::vector<std::int64_t> order;
    for (const std::int64_t offset : offsets->from_first)
      order.push_back(std::lower_bound(sorted.begin(), sorted.end(), offset) - sorted.begin());
    return make_shuffle(std::move(rows), std::move(order));
  }

  Expr variable(const Var& var) const {
    const auto found = values_.vectors_.find(var);
    ensure(found != values_.vectors_.end(), "vectorize: nothing says what {} is in the lanes", var.name());
    return found->second;
  }

  Expr binary(const Binary& x) {
    if (x.op == BinaryOp::logical_and || x.op == BinaryOp::logical_or) {
      const Expr left = vector_at(x.left);
      const Expr where_asked = x.op == BinaryOp::logical_and ? left : logical_not(left);
      return make_binary(x.op, left, under(where_asked, x.right));
    }
    const Expr left = vector_at(x.left);
    Expr right = vector_at(x.right);
    // A lane that does not run may hold anything, a divisor of 0 too.
    if (mask_.lanes.defined() && is_division(x.op) && !is_safe_divisor(x.right))
      right = make_select(mask_.lanes, right, values_.widened(make_int(1, x.right.type())));
    return make_binary(x.op, left, right);
  }

  /// e, evaluated only in the lanes where the condition holds.
  Expr under(const Expr& condition, const Expr& e) {
    if (is_total(e)) return vector_at(e);
    return LaneEvaluation(values_, narrowed(mask_, condition), facts_).vector_at(e);
  }

  Expr let(const Let& x) {
    const Expr value = at(x.value);
    const Var var(x.var.name(), value.type());
    if (value.type().is_scalar()) return make_let(var, value, vector_at(substitute(x.body, x.var, var)));
    LaneValues inner = values_;
    inner.define(x.var, x.value, var);
    return make_let(var, value, LaneEvaluation(inner, mask_, facts_).vector_at(x.body));
  }

  Expr call(const Expr& e, const Call& x) {
    const std::string& name = x.op->name;
    if (name == "likely") return vector_at(x.arguments[0]);
    if (name == "if_then_else") {
      const Expr condition = at(x.arguments[0]);
      if (condition.type().is_scalar())
        return make_call(name, {condition, vector_at(x.arguments[1]), vector_at(x.arguments[2])});
      return make_select(condition, under(condition, x.arguments[1]),
                         under(logical_not(condition), x.arguments[2]));
    }
    std::vector<Expr> arguments;
    for (const Expr& argument : x.arguments) arguments.push_back(vector_at(argument));
    return x.op->result == ResultRule::stated ? make_call(name, e.type().with_lanes(lanes()), arguments)
                                              : make_call(name, arguments);
  }

  const LaneValues& values_;
  const LaneMask mask_;
  const Analyzer& facts_;
  std::unordered_map<Expr, Expr> seen_;
};

LaneValues::LaneValues(const LaneLoop& loop, const target::Target& target) : loop_(loop), target_(target) {}

void LaneValues::define(const Var& var, const Expr& value, const Var& vector) {
  vectors_[var] = vector;
  if (value.type().is_integer() && is_arithmetic(value)) arithmetic_[var] = substitute(value, arithmetic_);
}

bool LaneValues::differs(const Expr& e) const {
  bool found = false;
  visit_exprs(e, [&](const Expr& x) {
    found = found || (x.is<VarNode>() && (Var(x) == loop_.var || vectors_.contains(Var(x))));
  });
  return found;
}

bool LaneValues::stays_scalar(const Expr& e, const LaneMask& mask) const {
  return !differs(e) && (!mask.lanes.defined() || mask.some_run || is_total(e));
}

bool LaneValues::has_vector_form(const Expr& e) const {
  bool all = true;
  visit_exprs(e, [&](const Expr& x) {
    const DataType type = x.type();
    all = all && type.is_scalar() && !type.is_handle() && !type.is_none() && !x.is<StringImm>();
    if (const auto* load = x.as<Load>())
      all = all && !load->predicate.defined() && load->buffer->type.is_scalar() && load->indices.size() == 1;
    if (const auto* call = x.as<Call>()) all = all && call_has_vector_form(x, *call);
  });
  return all;
}

/// Functions work on vectors; what a user registered is asked, since it may be written for scalars only.
bool LaneValues::call_has_vector_form(const Expr& e, const Call& call) const {
  if (call.op->effect != Effect::pure || call.op->name.starts_with("abi_")) return false;
  const Rule rule = find_rule(target_, call.op->name);
  if (!rule && !is_registered(*call.op)) return true;
  const auto lanes_of = [&](DataType type) {
    return (type.is_float() && type.bits <= 16 ? float32 : type).with_lanes(loop_.lanes);
  };
  std::vector<DataType> types;
  std::vector<Expr> arguments;
  for (const Expr& argument : call.arguments) {
    types.push_back(lanes_of(argument.type()));
    arguments.push_back(Var("x", types.back()));
  }
  try {
    if (!rule) return expansion_of(*call.op, types).body.type().lanes == loop_.lanes;
    const Expr value = rule(arguments, target_);
    return value.defined() && value.type() == lanes_of(e.type());
  } catch (const Error&) {
    return false;
  }
}

Expr LaneValues::at(const Expr& e, const LaneMask& mask, const Analyzer& facts) const {
  return LaneEvaluation(*this, mask, facts).at(e);
}

Expr LaneValues::vector_at(const Expr& e, const LaneMask& mask, const Analyzer& facts) const {
  return widened(at(e, mask, facts));
}

Expr LaneValues::widened(const Expr& e) const {
  return e.type().is_scalar() ? make_broadcast(e, loop_.lanes) : e;
}

std::optional<LaneValues::Offsets> LaneValues::offsets_of(const Expr& e, const Analyzer& facts) const {
  if (!e.type().is_integer() || !e.type().is_scalar() || !is_arithmetic(e)) return std::nullopt;
  const Expr now = substitute(e, arithmetic_);
  Offsets offsets;
  for (int lane = 0; lane < loop_.lanes; ++lane) {
    const Expr at = loop_.first + make_int(lane, loop_.first.type());
    const Expr value = facts.simplify(substitute(now, loop_.var, at));
    if (lane == 0) offsets.first = value;
    const auto offset = constant_int(facts.simplify(value - offsets.first));
    if (!offset || differs(value)) return std::nullopt;
    offsets.from_first.push_back(*offset);
  }
  return offsets;
}

std::optional<LaneValues::Steps> LaneValues::steps_of(const Expr& e, const Analyzer& facts) const {
  if (!e.type().is_integer() || !e.type().is_scalar() || e.type().is_storage_only() || !is_arithmetic(e))
    return std::nullopt;
  const Expr now = substitute(e, arithmetic_);
  const Expr next = substitute(now, loop_.var, loop_.var + make_int(1, loop_.var.type()));
  const Expr stride = facts.simplify(make_binary(BinaryOp::sub, next, now));
  const Expr first = facts.simplify(substitute(now, loop_.var, loop_.first));
  if (differs(stride) || differs(first)) return std::nullopt;
  return Steps{first, stride};
}

}  // namespace ardea::lower
