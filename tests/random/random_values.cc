#include "tests/random/random_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ardea/ir/intrinsics.h"

namespace ardea::random_programs {

namespace {

Value binary(BinaryOp op, const Value& a, const Value& b, double magnitude) {
  return {make_binary(op, a.expr, b.expr), magnitude, false};
}

Value called(const char* name, const std::vector<Value>& arguments, double magnitude) {
  std::vector<Expr> parts;
  for (const Value& x : arguments) parts.push_back(x.expr);
  return {make_call(name, parts), magnitude, false};
}

}  // namespace

// One statement a draw, here as everywhere: arguments are evaluated in an order that compilers choose, and a
// seed is to name the same program on every machine.
Value ValueWriter::value(DataType type, int depth) {
  if (depth <= 0 || random_.chance(0.12)) return leaf(type);
  const double draw = random_.real();
  if (draw < 0.08) return either(type, depth);
  if (draw < 0.12) return let(type, depth);
  if (draw < 0.20) return through_another_type(type, depth);
  if (draw < 0.35 && vector()) return shuffled(type, depth);
  if (type.is_bool()) return boolean_value(depth);
  return tamed(type.is_float() ? float_value(type, depth) : integer_value(type, depth));
}

Value ValueWriter::stored(DataType type, int depth) {
  const DataType computed = computing_type(type);
  Value x = value(computed, depth);
  // What a tensor of float8 or float16 holds shall seldom be infinite.
  if (type.is_float()) x = clamped(x, state_.smooth() || random_.chance(0.9) ? 8 : 300);
  if (computed == type) return x;
  return {make_cast(in_lanes(type), x.expr), x.magnitude, false};
}

Value ValueWriter::tamed(Value x) {
  if (!x.expr.type().is_float() || x.magnitude <= 64) return x;
  if (!state_.smooth() && random_.chance(0.15)) return x;
  return clamped(x, 4);
}

Value ValueWriter::clamped(const Value& x, double limit) {
  if (!x.expr.type().is_float() || x.magnitude <= limit) return x;
  const DataType type = x.expr.type();
  const Expr above = make_binary(BinaryOp::max, x.expr, make_float(-limit, type));
  return {make_binary(BinaryOp::min, above, make_float(limit, type)), limit, false};
}

// --- leaves ---

Value ValueWriter::leaf(DataType type) {
  const double draw = random_.real();
  if (draw < 0.15) return constant(type);
  if (draw < 0.22) return from_index(type);
  if (draw < 0.30 && !vector()) return guarded_neighbour(type);
  if (draw < 0.36 && !state_.scalars().empty() && !vector()) {
    const Var scalar = random_.pick(state_.scalars());
    if (may_feed(scalar.type(), type)) return converted({scalar}, type);
  }
  if (draw < 0.55 && !offered_.empty()) {
    const Value& x = random_.pick(offered_);
    if (may_feed(x.expr.type(), type)) return converted(x, type);
  }
  return converted(load(readable_tensor(type)), type);
}

Value ValueWriter::constant(DataType type) {
  const DataType in = in_lanes(type);
  if (type.is_bool()) return {make_int(random_.integer(0, 1), in)};
  if (type.is_float()) {
    static const std::vector<double> few = {0, -0.0, 1, -1, 0.5, 3, 0.1, -2.75};
    return {make_float(random_.pick(few), in), 4};
  }
  const int bits = type.is_uint() ? type.bits : type.bits - 1;
  const std::int64_t high = bits == 64 ? -1 : static_cast<std::int64_t>((std::uint64_t{1} << bits) - 1);
  const std::int64_t low = type.is_uint() ? 0 : -high - 1;
  const std::vector<std::int64_t> corners = {low, high, 1, 2, 0, type.is_uint() ? 3 : -1, 7, 5};
  return {make_int(random_.pick(corners), in)};
}

Value ValueWriter::from_index(DataType type) {
  std::vector<Index> usable;
  for (const Index& index : scope_.indices)
    if (index.value.type().lanes == 1 || vector()) usable.push_back(index);
  if (usable.empty() || type.is_bool()) return constant(type);
  const Index& index = random_.pick(usable);
  Expr x = make_cast(type.with_lanes(index.value.type().lanes), index.value);
  // What is computed here may wrap, which data do and index arithmetic must not.
  if (type == int64) x = make_binary(BinaryOp::bit_and, x, make_int(255, x.type()));
  if (x.type().lanes < lanes_.count) x = make_broadcast(x, lanes_.count);
  return {x, static_cast<double>(index.axis.nominal) + 16, true};
}

/// A[v - k] where that is inside, else a constant: the halo of a stencil.
Value ValueWriter::guarded_neighbour(DataType type) {
  const Tensor tensor = readable_tensor(type);
  std::vector<Expr> indices;
  Expr inside;
  for (const Axis& axis : tensor.axes) {
    const auto own = std::find_if(scope_.indices.begin(), scope_.indices.end(),
                                  [&](const Index& index) { return same_axis(index.axis, axis); });
    if (inside.defined() || own == scope_.indices.end()) {
      indices.push_back(index_into(axis));
      continue;
    }
    const std::int64_t shift = random_.integer(-2, 2);
    const Expr at = own->value + shift;
    inside = shift < 0 ? at >= state_.index(0) : at < axis.extent;
    indices.push_back(at);
  }
  const Value loaded =
      converted({make_load(tensor.buffer, indices), tensor.magnitude, tensor.parameter}, type);
  if (!inside.defined()) return loaded;
  return {make_call("if_then_else", {inside, loaded.expr, constant(type).expr}),
          std::max(loaded.magnitude, 4.0), loaded.fresh};
}

Tensor ValueWriter::readable_tensor(DataType wanted) {
  std::vector<Tensor> candidates;
  for (const Tensor& tensor : state_.tensors()) {
    const bool hidden =
        std::find(scope_.hidden.begin(), scope_.hidden.end(), tensor.buffer) != scope_.hidden.end();
    if (!hidden && may_feed(tensor.buffer->type, wanted)) candidates.push_back(tensor);
  }
  if (!candidates.empty() && random_.chance(0.8)) {
    // The newest is often one that nothing has read yet.
    return random_.chance(0.4) ? candidates.back() : random_.pick(candidates);
  }
  std::vector<Axis> axes;
  for (const Index& index : scope_.indices)
    if (random_.chance(0.6) && axes.size() < 3) axes.push_back(index.axis);
  if (axes.empty()) axes.push_back(scope_.indices.empty() ? state_.any_axis() : scope_.indices[0].axis);
  if (axes.size() > 1 && random_.chance(0.3)) std::reverse(axes.begin(), axes.end());
  DataType type = state_.element_type();
  if (!may_feed(type, wanted)) type = wanted;
  return state_.input(axes, type);
}

Value ValueWriter::load(const Tensor& tensor) {
  std::vector<Expr> indices;
  int lanes = 1;
  for (const Axis& axis : tensor.axes) {
    indices.push_back(index_into(axis));
    lanes = std::max<int>(lanes, indices.back().type().lanes);
  }
  Expr x = make_load(tensor.buffer, indices, lanes > 1 ? lanes_.mask : Expr());
  if (lanes < lanes_.count) x = make_broadcast(x, lanes_.count);
  return {x, tensor.magnitude, tensor.parameter};
}

Expr ValueWriter::index_into(const Axis& axis) {
  std::vector<Expr> own, others;
  for (const Index& index : scope_.indices) {
    if (same_axis(index.axis, axis))
      own.push_back(index.value);
    else if (index.value.type().is_scalar())
      others.push_back(index.value);
  }
  const double draw = random_.real();
  if (!own.empty() && draw < 0.8) return random_.pick(own);
  if (!own.empty() && draw < 0.96) return bent(random_.pick(own), axis);
  if (!others.empty() && draw < 0.6) return floor_mod(random_.pick(others), axis.extent);
  if (!others.empty() && draw < 0.8) return min(random_.pick(others), axis.extent - state_.index(1));
  return axis.size && draw < 0.9 ? state_.index(random_.integer(0, *axis.size - 1)) : state_.index(0);
}

Expr ValueWriter::bent(const Expr& v, const Axis& axis) {
  const int lanes = v.type().lanes;
  const auto wide = [&](const Expr& x) { return lanes == 1 ? x : make_broadcast(x, lanes); };
  const Expr last = wide(axis.extent - state_.index(1)), first = wide(state_.index(0));
  const Expr by = wide(state_.index(random_.integer(1, 3)));
  switch (random_.integer(0, 4)) {
    case 0: return last - v;
    case 1: return min(v + by, last);
    case 2: return max(v - by, first);
    case 3: return min(max(v - by, by - v), last);  // |v - by|
    default: {
      const Expr moved = v + by;
      return max(min(moved, last + last - moved), first);
    }
  }
}

// --- between types ---

bool ValueWriter::may_feed(DataType from, DataType to) const {
  // A rounding error must not decide an integer or a condition.
  return !state_.smooth() || !from.is_float() || to.is_float();
}

Value ValueWriter::converted(const Value& x, DataType type) {
  const DataType from = x.expr.type(), to = in_lanes(type);
  if (from == to) return x;
  if (type.is_bool()) {
    const DataType wide = computing_type(from.element()).with_lanes(from.lanes);
    return {make_binary(BinaryOp::ne, make_cast(wide, x.expr), make_const(0, wide))};
  }
  Expr source = x.expr;
  double magnitude = x.magnitude;
  if (type.is_float() && from.is_integer()) {
    magnitude = std::ldexp(1, from.bits);
    if (from.bits > 4 && (state_.smooth() || random_.chance(0.7))) {
      source = make_binary(BinaryOp::floor_mod, source, make_int(13, from));
      magnitude = 13;
    }
  }
  return {make_cast(to, source), magnitude, x.fresh};
}

Value ValueWriter::through_another_type(DataType type, int depth) {
  // Bits taken as another type: only of integers, because the bits of a NaN are nobody's business.
  if (type.is_integer() && random_.chance(0.2)) {
    const DataType twin{type.is_int() ? TypeCode::unsigned_integer : TypeCode::integer, type.bits};
    return {make_call("reinterpret", in_lanes(type), {value(twin, depth - 1).expr})};
  }
  const DataType other = type.is_bool() || random_.chance(0.5) ? state_.integer_type() : state_.float_type();
  if (!may_feed(other, type)) return value(type, depth - 1);
  return tamed(converted(value(other, depth - 1), type));
}

// --- forms for every type ---

Value ValueWriter::either(DataType type, int depth) {
  const Value a = value(type, depth - 1), b = value(type, depth - 1);
  const double magnitude = std::max(a.magnitude, b.magnitude);
  const Expr which = condition(random_.chance(0.3) ? 2 : 1);
  const bool fresh = a.fresh && b.fresh;
  if (vector() || random_.chance(0.5)) return {make_select(which, a.expr, b.expr), magnitude, fresh};
  const Expr hint = random_.chance(0.2) ? make_call("likely", {which}) : which;
  return {make_call("if_then_else", {hint, a.expr, b.expr}), magnitude, fresh};
}

Value ValueWriter::let(DataType type, int depth) {
  const Value x = value(random_.chance(0.5) ? type : state_.integer_type(), depth - 1);
  const Var var(state_.fresh_name("x"), x.expr.type());
  offered_.push_back({var, x.magnitude, x.fresh});
  Value body = value(type, depth - 1);
  offered_.pop_back();
  body.expr = make_let(var, x.expr, body.expr);
  return body;
}

Value ValueWriter::shuffled(DataType type, int depth) {
  const Value a = value(type, depth - 1), b = value(type, depth - 1);
  std::vector<std::int64_t> lanes;
  for (int i = 0; i < lanes_.count; ++i) lanes.push_back(random_.integer(0, 2 * lanes_.count - 1));
  return {make_shuffle({a.expr, b.expr}, lanes), std::max(a.magnitude, b.magnitude), a.fresh && b.fresh};
}

// --- bool ---

Value ValueWriter::boolean_value(int depth) {
  const double draw = random_.real();
  if (draw < 0.15) return {make_unary(UnaryOp::logical_not, condition(depth - 1))};
  if (draw < 0.45) {
    static const std::vector<BinaryOp> ops = {BinaryOp::logical_and, BinaryOp::logical_or, BinaryOp::bit_and,
                                              BinaryOp::bit_or,      BinaryOp::bit_xor,    BinaryOp::eq};
    const Expr left = condition(depth - 1), right = condition(depth - 1);
    return {make_binary(random_.pick(ops), left, right)};
  }
  static const std::vector<BinaryOp> ops = {BinaryOp::eq, BinaryOp::ne, BinaryOp::lt,
                                            BinaryOp::le, BinaryOp::gt, BinaryOp::ge};
  const DataType type = !state_.smooth() && random_.chance(0.5) ? state_.float_type() : state_.integer_type();
  if (type.is_float() && random_.chance(0.4)) {
    static const std::vector<const char*> tests = {"isnan", "isinf", "isfinite"};
    const Value tested = value(type, depth - 1);
    return called(random_.pick(tests), {tested}, 1);
  }
  const Value left = value(type, depth - 1), right = value(type, depth - 1);
  return binary(random_.pick(ops), left, right, 1);
}

// --- integers ---

Value ValueWriter::integer_value(DataType type, int depth) {
  const double draw = random_.real();
  if (draw < 0.15) return integer_division(type, depth);
  const Value a = value(type, depth - 1);
  if (draw < 0.22) return {make_unary(random_.chance(0.5) ? UnaryOp::negate : UnaryOp::bit_not, a.expr)};
  if (draw < 0.30) {
    std::vector<const char*> names = {"popcount", "clz"};
    if (type.is_int()) names.push_back("abs");
    return called(random_.pick(names), {a}, 1);
  }
  if (draw < 0.38) {  // by small amounts mostly, by anything sometimes
    const Value by = random_.chance(0.7) ? Value{make_int(random_.integer(0, type.bits + 1), in_lanes(type))}
                                         : value(type, 0);
    return binary(random_.chance(0.5) ? BinaryOp::shift_left : BinaryOp::shift_right, a, by, 1);
  }
  static const std::vector<BinaryOp> ops = {BinaryOp::add,     BinaryOp::add,    BinaryOp::sub,
                                            BinaryOp::mul,     BinaryOp::min,    BinaryOp::max,
                                            BinaryOp::bit_and, BinaryOp::bit_or, BinaryOp::bit_xor};
  const Value b = value(type, depth - 1);
  return binary(random_.pick(ops), a, b, 1);
}

Value ValueWriter::integer_division(DataType type, int depth) {
  static const std::vector<BinaryOp> ops = {BinaryOp::floor_div, BinaryOp::floor_mod, BinaryOp::trunc_div,
                                            BinaryOp::trunc_mod};
  const Value a = value(type, depth - 1);
  // A divisor that is never 0: a constant, or something odd.
  const DataType in = in_lanes(type);
  Value by{make_int(random_.integer(1, 9), in)};
  if (type.is_int() && random_.chance(0.4)) by.expr = make_int(random_.integer(-7, -1), in);
  if (random_.chance(0.3))
    by.expr = make_binary(BinaryOp::bit_or, value(type, depth - 1).expr, make_int(1, in));
  return binary(random_.pick(ops), a, by, 1);
}

// --- floats ---

Value ValueWriter::float_value(DataType type, int depth) {
  const double draw = random_.real();
  if (draw < 0.10) return quotient(type, depth);
  if (draw < 0.20) return state_.smooth() ? float_function(type, depth) : rounding_function(type, depth);
  const Value a = value(type, depth - 1);
  if (draw < 0.25) return {make_unary(UnaryOp::negate, a.expr), a.magnitude, a.fresh};
  if (draw < 0.30) return called("abs", {a}, a.magnitude);
  const Value b = value(type, depth - 1);
  if (draw < 0.36) {
    const Value c = value(type, depth - 1);
    return called("fma", {a, b, c}, a.magnitude * b.magnitude + c.magnitude);
  }
  if (draw < 0.58) return binary(BinaryOp::add, a, b, a.magnitude + b.magnitude);
  if (draw < 0.70) return binary(BinaryOp::sub, a, b, a.magnitude + b.magnitude);
  if (draw < 0.88) return binary(BinaryOp::mul, a, b, a.magnitude * b.magnitude);
  return binary(random_.chance(0.5) ? BinaryOp::min : BinaryOp::max, a, b,
                std::max(a.magnitude, b.magnitude));
}

Value ValueWriter::quotient(DataType type, int depth) {
  const Value a = value(type, depth - 1);
  Value by = value(type, state_.smooth() ? 0 : depth - 1);
  if (!by.fresh && state_.smooth()) by = {make_float(3, in_lanes(type)), 3};
  if (state_.smooth() || random_.chance(0.8))  // far from 0
    by.expr = make_call("abs", {by.expr}) + make_float(0.5, in_lanes(type));
  return binary(BinaryOp::div, a, by, 2 * a.magnitude);
}

/// Exactly rounded, or exact: the same bits everywhere.
Value ValueWriter::rounding_function(DataType type, int depth) {
  static const std::vector<const char*> unary = {"sqrt", "floor", "ceil", "round", "nearbyint", "trunc"};
  const Value a = value(type, depth - 1);
  if (random_.chance(0.7)) return called(random_.pick(unary), {a}, a.magnitude + 1);
  const Value b = value(type, depth - 1);
  return called(random_.chance(0.6) ? "copysign" : "fmod", {a, b}, a.magnitude);
}

/// Library functions, on arguments for which they are tame.
Value ValueWriter::float_function(DataType type, int depth) {
  static const std::vector<const char*> anywhere = {"tanh", "sigmoid", "erf", "sin", "cos", "atan"};
  if (random_.chance(0.5)) {
    const Value argument = value(type, depth - 1);
    return called(random_.pick(anywhere), {argument}, 2);
  }
  // The others magnify errors: they get an argument that has few.
  Value x = value(type, 0);
  if (!x.fresh) x = {make_float(0.75, in_lanes(type)), 1};
  x = clamped(x, 2);
  if (random_.chance(0.5)) {
    static const std::vector<const char*> growing = {"exp", "exp2", "expm1", "sinh", "cosh", "exp10"};
    return called(random_.pick(growing), {x}, 101);
  }
  const Value positive{make_call("abs", {x.expr}) + make_float(0.5, in_lanes(type)), x.magnitude + 1, false};
  static const std::vector<const char*> partial = {"log", "log2", "log10", "log1p", "sqrt", "rsqrt"};
  if (random_.chance(0.7)) return called(random_.pick(partial), {positive}, 3);
  return called("pow", {positive, {make_float(random_.chance(0.5) ? 1.5 : -0.5, in_lanes(type))}}, 6);
}

}  // namespace ardea::random_programs
