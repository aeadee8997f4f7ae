#include "ardea/measure/bounded_value.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ardea/ir/accuracy.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/support/error.h"

namespace ardea::measure {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Expr constant(double value, DataType like) { return make_float(value, float64.with_lanes(like.lanes)); }
Expr absolute(const Expr& x) { return make_call("abs", {x}); }
Expr as_float64(const Expr& x) { return make_cast(float64.with_lanes(x.type().lanes), x); }
Expr at_most(const Expr& a, const Expr& b) { return make_binary(BinaryOp::le, a, b); }
Expr positive(const Expr& x) { return make_binary(BinaryOp::gt, x, constant(0, x.type())); }

/// Infinite where the bound of any operand is not 0: the result may be anything.
Expr anything_if_inexact(const std::vector<Bounded>& operands) {
  Expr sum;
  for (const Bounded& x : operands)
    if (x.bound.defined()) sum = sum.defined() ? sum + x.bound : x.bound;
  if (!sum.defined()) return {};
  return make_select(positive(sum), constant(infinity, sum.type()), constant(0, sum.type()));
}

int significand_bits(DataType type) {
  switch (type.code) {
    case TypeCode::floating: return type.bits == 16 ? 11 : type.bits == 32 ? 24 : 53;
    case TypeCode::bfloat: return 8;
    case TypeCode::float8_e4m3: return 4;
    case TypeCode::float8_e5m2: return 3;
    default: throw InternalError("significand_bits: " + to_string(type) + " is not a float");
  }
}

double smallest_subnormal(DataType type) {
  switch (type.code) {
    case TypeCode::floating: return std::ldexp(1, type.bits == 16 ? -24 : type.bits == 32 ? -149 : -1074);
    case TypeCode::bfloat: return std::ldexp(1, -133);
    case TypeCode::float8_e4m3: return std::ldexp(1, -9);
    default: return std::ldexp(1, -16);
  }
}

}  // namespace

double unit_roundoff(DataType type) { return std::ldexp(1, -significand_bits(type)); }

double largest_finite(DataType type) {
  switch (type.code) {
    case TypeCode::floating:
      return type.bits == 16   ? 65504
             : type.bits == 32 ? static_cast<double>(std::numeric_limits<float>::max())
                               : std::numeric_limits<double>::max();
    case TypeCode::bfloat: return std::ldexp(255, 120);
    case TypeCode::float8_e4m3: return 448;
    default: return 57344;
  }
}

DataType carried_type(DataType type) { return type.is_float() ? float64.with_lanes(type.lanes) : type; }

Expr bound_or_zero(const Bounded& x) { return x.bound.defined() ? x.bound : constant(0, x.value.type()); }

Bounded rounded(const Bounded& x, DataType type, double units) {
  const DataType t = x.value.type();
  // The reference itself is rounded to float64 at every step; its own error counts on top.
  const double relative = units * unit_roundoff(type.element()) + units * 0x1p-53;
  const Expr magnitude = x.bound.defined() ? absolute(x.value) + x.bound : absolute(x.value);
  const Expr rounding =
      magnitude * constant(relative, t) + constant(units * smallest_subnormal(type.element()), t);
  Expr bound = x.bound.defined() ? x.bound + rounding : rounding;
  if (type.element() != float64) {
    const Expr fits = at_most(magnitude, constant(largest_finite(type.element()), t));
    bound = make_select(fits, bound, constant(infinity, t));
  }
  return {x.value, bound};
}

Bounded bounded_unary(UnaryOp op, const Bounded& a) {
  const Expr value = make_unary(op, a.value);
  if (op == UnaryOp::bit_not) return {value, anything_if_inexact({a})};
  return {value, a.bound};
}

namespace {

Expr product_bound(const Bounded& a, const Bounded& b) {
  const Expr x = as_float64(a.value), y = as_float64(b.value);
  Expr bound;
  const auto plus = [&](const Expr& more) { bound = bound.defined() ? bound + more : more; };
  if (b.bound.defined()) plus(absolute(x) * b.bound);
  if (a.bound.defined()) plus(absolute(y) * a.bound);
  if (a.bound.defined() && b.bound.defined()) plus(a.bound * b.bound);
  return bound;
}

Expr sum_of_bounds(const Bounded& a, const Bounded& b) {
  if (!a.bound.defined()) return b.bound;
  return b.bound.defined() ? a.bound + b.bound : a.bound;
}

Expr greater_bound(const Bounded& a, const Bounded& b) {
  if (!a.bound.defined()) return b.bound;
  return b.bound.defined() ? make_binary(BinaryOp::max, a.bound, b.bound) : a.bound;
}

Bounded quotient(const Bounded& a, const Bounded& b) {
  const Expr value = make_binary(BinaryOp::div, a.value, b.value);
  const DataType t = value.type();
  if (!a.bound.defined() && !b.bound.defined()) return {value};
  // |a'/b' - a/b| <= (ea + |a/b| eb) / (|b| - eb)
  const Expr margin = b.bound.defined() ? absolute(b.value) - b.bound : absolute(b.value);
  Expr above = bound_or_zero(a);
  if (b.bound.defined()) above = above + absolute(value) * b.bound;
  return {value,
          make_select(positive(margin), make_binary(BinaryOp::div, above, margin), constant(infinity, t))};
}

Bounded comparison(BinaryOp op, const Bounded& a, const Bounded& b) {
  const Expr value = make_binary(op, a.value, b.value);
  const Expr slack = sum_of_bounds(a, b);
  if (!slack.defined()) return {value};
  const Expr distance = absolute(as_float64(a.value) - as_float64(b.value));
  // Of exact values, which memory holds with a bound of 0, equal ones are equal in every correct result.
  const Expr unsure = make_binary(BinaryOp::logical_and, positive(slack), at_most(distance, slack));
  return {value, make_select(unsure, constant(1, slack.type()), constant(0, slack.type()))};
}

}  // namespace

Bounded bounded_binary(BinaryOp op, const Bounded& a, const Bounded& b, DataType type) {
  if (is_comparison(op)) {
    if (type.is_bool()) return {make_binary(op, a.value, b.value), greater_bound(a, b)};
    return comparison(op, a, b);
  }
  if (op == BinaryOp::div) return rounded(quotient(a, b), type);
  const Expr value = make_binary(op, a.value, b.value);
  const auto result = [&](Expr bound) {
    const Bounded exact{value, std::move(bound)};
    return type.is_float() ? rounded(exact, type) : exact;
  };
  switch (op) {
    case BinaryOp::add:
    case BinaryOp::sub: return result(sum_of_bounds(a, b));
    case BinaryOp::mul: return result(product_bound(a, b));
    case BinaryOp::min:
    case BinaryOp::max:
    case BinaryOp::logical_and:
    case BinaryOp::logical_or: return {value, greater_bound(a, b)};
    default: return {value, anything_if_inexact({a, b})};
  }
}

Bounded bounded_cast(const Bounded& a, DataType from, DataType to) {
  if (from.is_float() && to.is_float()) {
    const bool exact = significand_bits(to.element()) >= significand_bits(from.element()) &&
                       largest_finite(to.element()) >= largest_finite(from.element());
    return exact ? a : rounded(a, to);
  }
  if (to.is_float()) {
    const Bounded converted{as_float64(a.value), a.bound};
    return from.is_bool() || from.bits <= significand_bits(to.element()) ? converted : rounded(converted, to);
  }
  const Expr value = make_cast(to, a.value);
  if (!a.bound.defined()) return {value};
  if (from.is_float() && to.is_integer()) {
    const Expr high = make_call("trunc", {a.value + a.bound}), low = make_call("trunc", {a.value - a.bound});
    return {value, high - low};
  }
  if (from.is_integer() && to.is_integer() && to.bits >= from.bits) return {value, a.bound};
  return {value, anything_if_inexact({a})};
}

Bounded bounded_select(const Bounded& condition, const Bounded& a, const Bounded& b) {
  const Expr value = make_select(condition.value, a.value, b.value);
  Expr bound;
  if (a.bound.defined() || b.bound.defined())
    bound = make_select(condition.value, bound_or_zero(a), bound_or_zero(b));
  if (!condition.bound.defined()) return {value, bound};
  const Expr either = make_binary(BinaryOp::max, bound_or_zero(a), bound_or_zero(b)) +
                      (value.type().is_bool() ? constant(1, value.type())
                                              : absolute(as_float64(a.value) - as_float64(b.value)));
  Expr unsure = positive(condition.bound);
  return {value, make_select(unsure, either, bound.defined() ? bound : constant(0, value.type()))};
}

Bounded bounded_accumulate(const Bounded& accumulator, const Bounded& term, const Expr& terms,
                           DataType type) {
  const Expr value = accumulator.value + term.value;
  const DataType t = value.type();
  const Expr magnitude = term.bound.defined() ? absolute(term.value) + term.bound : absolute(term.value);
  // Each term takes part in at most `terms` additions, whatever their order: u · |term| in each of them, and
  // the two roundings to float64 of the reference.
  const Expr additions = make_cast(float64, terms) + make_float(2, float64);
  const double relative = unit_roundoff(type.element()) + 0x1p-53;
  Expr share = additions * make_float(relative, float64);
  if (t.is_vector()) share = make_broadcast(share, t.lanes);
  Expr bound = magnitude * share + constant(smallest_subnormal(type.element()), t);
  if (accumulator.bound.defined()) bound = accumulator.bound + bound;
  if (term.bound.defined()) bound = bound + term.bound;
  if (type.element() != float64) {
    const Expr fits = at_most(absolute(value) + bound, constant(largest_finite(type.element()), t));
    bound = make_select(fits, bound, constant(infinity, t));
  }
  return {value, bound};
}

namespace {

/// How a function carries an error of its argument on to its result.
enum class Growth {
  monotone,   ///< by the values at both ends of the argument's interval
  lipschitz,  ///< the slope is at most 1 (at most 2/sqrt(pi) for erf, which 1.13 covers)
  steps,      ///< as monotone, and exact: floor and its kin
};

struct FunctionRule {
  const char* name;
  Growth growth;
  double low, high;  ///< the domain; outside it the bound is infinite
};

constexpr FunctionRule function_rules[] = {
    {"exp", Growth::monotone, -infinity, infinity},
    {"exp2", Growth::monotone, -infinity, infinity},
    {"exp10", Growth::monotone, -infinity, infinity},
    {"expm1", Growth::monotone, -infinity, infinity},
    {"log", Growth::monotone, 0, infinity},
    {"log2", Growth::monotone, 0, infinity},
    {"log10", Growth::monotone, 0, infinity},
    {"log1p", Growth::monotone, -1, infinity},
    {"sqrt", Growth::monotone, 0, infinity},
    {"rsqrt", Growth::monotone, 0, infinity},
    {"tanh", Growth::lipschitz, -infinity, infinity},
    {"sigmoid", Growth::lipschitz, -infinity, infinity},
    {"erf", Growth::lipschitz, -infinity, infinity},
    {"sin", Growth::lipschitz, -infinity, infinity},
    {"cos", Growth::lipschitz, -infinity, infinity},
    {"asin", Growth::monotone, -1, 1},
    {"acos", Growth::monotone, -1, 1},
    {"atan", Growth::lipschitz, -infinity, infinity},
    {"sinh", Growth::monotone, -infinity, infinity},
    {"floor", Growth::steps, -infinity, infinity},
    {"ceil", Growth::steps, -infinity, infinity},
    {"round", Growth::steps, -infinity, infinity},
    {"nearbyint", Growth::steps, -infinity, infinity},
    {"trunc", Growth::steps, -infinity, infinity},
};

/// How far compiled code may be from the reference, in halves of the last place: by its own error, which is
/// that of ir/accuracy.h or, where it calls the C library, at most 2 units; in float64 also by the
/// reference's own.
double function_units(const std::string& name, DataType type) {
  constexpr double library_ulp = 2, reference_ulp = 1;
  const Accuracy* row = find_accuracy(name);
  if (row == nullptr) return name == "sqrt" ? 1 : 0;
  if (type.bits == 16) return 2 * error_ulp(*row, type);
  const double ulp = std::max(error_ulp(*row, type), library_ulp);
  return 2 * (type.bits == 64 ? ulp + reference_ulp : ulp);
}

Bounded by_rule(const FunctionRule& rule, const Bounded& x, DataType type) {
  const Expr value = make_call(rule.name, {x.value});
  const DataType t = value.type();
  Expr bound;
  if (x.bound.defined() && rule.growth == Growth::lipschitz) {
    bound = x.bound * constant(1.13, t);
  } else if (x.bound.defined()) {
    const Expr low = x.value - x.bound, high = x.value + x.bound;
    const Expr up = absolute(make_call(rule.name, {high}) - value),
               down = absolute(value - make_call(rule.name, {low}));
    bound = make_binary(BinaryOp::max, up, down);
    // NaN at an end outside the domain: the comparison is false, and the bound infinite.
    Expr inside = make_binary(BinaryOp::logical_and, at_most(constant(rule.low, t), low),
                              at_most(high, constant(rule.high, t)));
    bound = make_select(inside, bound, constant(infinity, t));
  }
  const double units = function_units(rule.name, type);
  return units == 0 ? Bounded{value, bound} : rounded({value, bound}, type, units);
}

Bounded fused_multiply_add(const std::vector<Bounded>& x, DataType type) {
  const Expr value = make_call("fma", {x[0].value, x[1].value, x[2].value});
  return rounded({value, sum_of_bounds({value, product_bound(x[0], x[1])}, x[2])}, type);
}

/// tan(x + e) - tan(x) = tan(e) (1 + tan²x) / (1 - tan(x) tan(e)), as long as the denominator stays positive.
Bounded tangent(const Bounded& x) {
  const Expr value = make_call("tan", {x.value});
  const DataType t = value.type();
  if (!x.bound.defined()) return {value};
  const Expr shift = make_call("tan", {x.bound});
  const Expr denominator = constant(1, t) - absolute(value) * shift;
  const Expr near =
      make_binary(BinaryOp::logical_and, at_most(x.bound, constant(0.5, t)), positive(denominator));
  const Expr bound = make_binary(BinaryOp::div, shift * (constant(1, t) + value * value), denominator);
  return {value, make_select(near, bound, constant(infinity, t))};
}

Bounded hyperbolic_cosine(const Bounded& x) {
  const Expr value = make_call("cosh", {x.value});
  if (!x.bound.defined()) return {value};
  return {value,
          make_call("cosh", {absolute(x.value) + x.bound}) - value};  // convex: it grows fastest outwards
}

/// x^y = exp(y log x): the exponent is off by at most |y| ex / (|x| - ex) + (|log|x|| + ex / (|x| - ex)) ey.
Bounded power(const Bounded& x, const Bounded& y) {
  const Expr value = make_call("pow", {x.value, y.value});
  const DataType t = value.type();
  if (!x.bound.defined() && !y.bound.defined()) return {value};
  const Expr margin = absolute(x.value) - bound_or_zero(x);
  const Expr relative = make_binary(BinaryOp::div, bound_or_zero(x), margin);
  const Expr logarithm = absolute(make_call("log", {absolute(x.value)}));
  const Expr exponent = absolute(y.value) * relative + (logarithm + relative) * bound_or_zero(y);
  const Expr bound = absolute(value) * make_call("expm1", {exponent});
  return {value, make_select(positive(margin), bound, constant(infinity, t))};
}

/// The angle moves by at most the sideways step over the distance from the origin, and by a turn across the
/// cut.
Bounded angle(const Bounded& y, const Bounded& x) {
  const Expr value = make_call("atan2", {y.value, x.value});
  const DataType t = value.type();
  const Expr step = sum_of_bounds(y, x);
  if (!step.defined()) return {value};
  const Expr distance = make_binary(BinaryOp::max, absolute(y.value), absolute(x.value)) - step;
  const Expr at_cut =
      make_binary(BinaryOp::logical_and, at_most(absolute(y.value), step), at_most(x.value, step));
  const Expr bound = make_select(at_cut, constant(2 * M_PI, t), make_binary(BinaryOp::div, step, distance));
  return {value, make_select(positive(distance), bound, constant(2 * M_PI, t))};
}

Bounded with_sign(const Bounded& x, const Bounded& sign) {
  const Expr value = make_call("copysign", {x.value, sign.value});
  if (!sign.bound.defined()) return {value, x.bound};
  const Expr unsure = at_most(absolute(sign.value), sign.bound);
  return {value, make_select(unsure, absolute(x.value) * constant(2, value.type()) + bound_or_zero(x),
                             bound_or_zero(x))};
}

}  // namespace

Bounded bounded_call(const Call& call, const std::vector<Bounded>& arguments, DataType type) {
  const std::string& name = call.op->name;
  std::vector<Expr> values;
  for (const Bounded& x : arguments) values.push_back(x.value);
  for (const FunctionRule& rule : function_rules)
    if (name == rule.name) return by_rule(rule, arguments[0], type);
  if (name == "abs" || name == "likely") return {make_call(name, values), arguments[0].bound};
  if (name == "fma") return fused_multiply_add(arguments, type);
  if (name == "isnan" || name == "isinf" || name == "isfinite") return {make_call(name, values)};
  if (name == "if_then_else") {
    const Bounded &c = arguments[0], &a = arguments[1], &b = arguments[2];
    const Expr value = make_call(name, {c.value, a.value, b.value});
    Expr bound;
    if (a.bound.defined() || b.bound.defined())
      bound = make_call(name, {c.value, bound_or_zero(a), bound_or_zero(b)});
    if (c.bound.defined()) {  // the other side must not be evaluated: where it might be the right one,
                              // nothing is known
      const Expr unsure = positive(c.bound);
      const DataType t = carried_type(value.type());
      Expr known = bound.defined() ? bound : constant(0, t);
      bound = make_call(name, {unsure, constant(infinity, t), known});
    }
    return {value, bound};
  }
  if (name == "copysign") return with_sign(arguments[0], arguments[1]);
  if (name == "fmod") return {make_call(name, values), anything_if_inexact(arguments)};
  if (name == "pow") return rounded(power(arguments[0], arguments[1]), type, function_units(name, type));
  if (name == "tan") return rounded(tangent(arguments[0]), type, function_units(name, type));
  if (name == "cosh") return rounded(hyperbolic_cosine(arguments[0]), type, function_units(name, type));
  if (name == "atan2") return rounded(angle(arguments[0], arguments[1]), type, function_units(name, type));
  if (name == "reinterpret" && !type.is_float() && !call.arguments[0].type().is_float())
    return {make_call(name, type, values), anything_if_inexact(arguments)};
  if (name == "popcount" || name == "clz") return {make_call(name, values), anything_if_inexact(arguments)};
  fail("the result of T.{} cannot be bounded: check the program without it, or without --check", name);
}

}  // namespace ardea::measure
