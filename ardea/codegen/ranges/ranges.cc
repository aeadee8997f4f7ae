#include "ardea/codegen/ranges/ranges.h"

#include <algorithm>
#include <limits>

#include "ardea/ir/intrinsics.h"

namespace ardea::codegen {

namespace {

using Maybe = std::optional<Interval>;

Maybe of_type(DataType type) {
  if (type.is_bool()) return Interval{0, 1};
  if (!type.is_integer() || (type.is_uint() && type.bits == 64)) return std::nullopt;
  if (type.bits == 64)
    return Interval{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  if (type.is_uint()) return Interval{0, (std::int64_t{1} << type.bits) - 1};
  const std::int64_t half = std::int64_t{1} << (type.bits - 1);
  return Interval{-half, half - 1};
}

bool contains(const Interval& outer, const Interval& inner) {
  return outer.low <= inner.low && inner.high <= outer.high;
}

/// The operation on all corners; nothing where one leaves 64 bits.
Maybe over_corners(BinaryOp op, const Interval& a, const Interval& b) {
  Maybe out;
  for (const std::int64_t x : {a.low, a.high})
    for (const std::int64_t y : {b.low, b.high}) {
      std::int64_t value = 0;
      const bool overflows = op == BinaryOp::add   ? __builtin_add_overflow(x, y, &value)
                             : op == BinaryOp::sub ? __builtin_sub_overflow(x, y, &value)
                                                   : __builtin_mul_overflow(x, y, &value);
      if (overflows) return std::nullopt;
      out = out ? Interval{std::min(out->low, value), std::max(out->high, value)} : Interval{value, value};
    }
  return out;
}

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

bool is_wrapping(BinaryOp op) { return op == BinaryOp::add || op == BinaryOp::sub || op == BinaryOp::mul; }

Maybe joined(const Maybe& a, const Maybe& b) {
  if (!a || !b) return std::nullopt;
  return Interval{std::min(a->low, b->low), std::max(a->high, b->high)};
}

}  // namespace

std::optional<Interval> Ranges::of(const Expr& e) {
  const Maybe type = of_type(e.type());
  if (e.is<VarNode>()) {
    const auto at = variables_.find(Var(e));
    return at == variables_.end() || !at->second ? type : at->second;
  }
  if (const auto at = known_.find(e); at != known_.end()) return at->second;
  Maybe values = computed(e);
  if (!values || (type && !contains(*type, *values))) values = type;  // wrapped
  known_[e] = values;
  return values;
}

std::optional<Interval> Ranges::computed(const Expr& e) {
  const DataType type = e.type();
  if (const auto* imm = e.as<IntImm>())
    return type.is_uint() && type.bits == 64 && imm->value < 0 ? std::nullopt
                                                               : Maybe({imm->value, imm->value});
  if (const auto* binary = e.as<Binary>()) return of_binary(*binary, type);
  if (const auto* cast = e.as<Cast>()) return cast->value.type().is_float() ? std::nullopt : of(cast->value);
  if (const auto* select = e.as<Select>()) return joined(of(select->when_true), of(select->when_false));
  if (const auto* broadcast = e.as<Broadcast>()) return of(broadcast->value);
  if (const auto* ramp = e.as<Ramp>()) {
    const Maybe base = of(ramp->base), stride = of(ramp->stride);
    const Maybe reach = stride ? over_corners(BinaryOp::mul, *stride, {0, type.lanes - 1}) : std::nullopt;
    return base && reach ? over_corners(BinaryOp::add, *base, *reach) : std::nullopt;
  }
  if (const auto* let = e.as<Let>()) {
    define(let->var, of(let->value));
    return of(let->body);
  }
  if (const auto* call = e.as<Call>()) {
    if (call->op->name == "if_then_else") return joined(of(call->arguments[1]), of(call->arguments[2]));
    if (call->op->name == "likely") return of(call->arguments[0]);
  }
  return std::nullopt;
}

/// Before it wraps.
std::optional<Interval> Ranges::of_binary(const Binary& binary, DataType type) {
  if (!type.is_integer()) return std::nullopt;
  const Maybe a = of(binary.left), b = of(binary.right);
  if (!b) return std::nullopt;
  const bool fixed = b->low == b->high;
  if (binary.op == BinaryOp::floor_mod && b->low > 0) {
    const bool is_itself = a && a->low >= 0 && a->high < b->low;
    return is_itself ? a : Maybe({0, b->high - 1});
  }
  if (binary.op == BinaryOp::bit_and && fixed && b->low >= 0) return Interval{0, b->low};
  if (!a) return std::nullopt;
  if (is_wrapping(binary.op)) return over_corners(binary.op, *a, *b);
  switch (binary.op) {
    case BinaryOp::floor_div:
      if (!fixed || b->low <= 0) return std::nullopt;
      return Interval{floor_quotient(a->low, b->low), floor_quotient(a->high, b->low)};
    case BinaryOp::trunc_div:
      if (!fixed || b->low <= 0) return std::nullopt;
      return Interval{a->low / b->low, a->high / b->low};
    case BinaryOp::shift_right:
      if (!fixed || b->low < 0 || b->low >= type.bits) return std::nullopt;
      return Interval{a->low >> b->low, a->high >> b->low};
    case BinaryOp::min: return Interval{std::min(a->low, b->low), std::min(a->high, b->high)};
    case BinaryOp::max: return Interval{std::max(a->low, b->low), std::max(a->high, b->high)};
    default: return std::nullopt;
  }
}

bool Ranges::cannot_wrap(const Expr& e) {
  const Maybe type = of_type(e.type());
  Maybe values;
  if (const auto* binary = e.as<Binary>(); binary != nullptr && is_wrapping(binary->op))
    values = of_binary(*binary, e.type());
  if (const auto* unary = e.as<Unary>(); unary != nullptr && unary->op == UnaryOp::negate) {
    const Maybe operand = of(unary->operand);
    if (operand) values = over_corners(BinaryOp::sub, {0, 0}, *operand);
  }
  return type && values && contains(*type, *values);
}

bool Ranges::is_positive(const Expr& e) {
  const Maybe values = of(e);
  return values && values->low > 0;
}

bool Ranges::is_not_negative(const Expr& e) {
  const Maybe values = of(e);
  return values && values->low >= 0;
}

void Ranges::define_loop(const Var& var, const Expr& min, const Expr& extent) {
  const Maybe first = of(min), count = of(extent), type = of_type(var.type());
  Maybe values;
  if (first && count && count->high > 0) values = over_corners(BinaryOp::add, *first, {0, count->high - 1});
  // A sum of bounds that wraps makes another loop.
  const bool fits = values && type && contains(*type, *values) && values->high < type->high;
  define(var, fits ? values : std::nullopt);
}

}  // namespace ardea::codegen
