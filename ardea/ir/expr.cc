#include "ardea/ir/expr.h"

#include <cmath>

#include "ardea/ir/literals.h"
#include "ardea/ir/print.h"
#include "ardea/support/error.h"
#include "ardea/support/format_type.h"
#include "ardea/support/narrow_float.h"

namespace ardea {

void refuse_empty(const char* what) {
  fail("an empty {} is used, one that was declared and never given a value; give it one first", what);
}

Var::Var(std::string name, DataType type) : Expr(type, VarNode{std::move(name)}) {}

Var::Var(const Expr& e) : Expr(e) { ensure(e.is<VarNode>(), "Var: the expression is not a variable"); }

Buffer::Buffer(BufferNode node) : node_(std::make_shared<const BufferNode>(std::move(node))) {}

bool is_comparison(BinaryOp op) { return op >= BinaryOp::eq && op <= BinaryOp::ge; }

Expr make_int(std::int64_t value, DataType type) {
  require(type.is_integer() || type.is_bool(), "make_int: {} is not an integer type", type);
  if (type.is_vector()) return make_broadcast(make_int(value, type.element()), type.lanes);
  if (type.is_bool()) return Expr(type, IntImm{value != 0});
  if (type.bits < 64) {
    const std::int64_t low = type.is_uint() ? 0 : -(std::int64_t{1} << (type.bits - 1));
    const std::int64_t high = (std::int64_t{1} << (type.is_uint() ? type.bits : type.bits - 1)) - 1;
    require(value >= low && value <= high, "the constant {} does not fit {}, whose values are {} to {}",
            value, type, low, high);
  }
  return Expr(type, IntImm{value});
}

bool is_integer_division(const Expr& e) {
  const auto* binary = e.as<Binary>();
  if (binary == nullptr) return false;
  switch (binary->op) {
    case BinaryOp::floor_div:
    case BinaryOp::floor_mod:
    case BinaryOp::trunc_div:
    case BinaryOp::trunc_mod: return true;
    default: return false;
  }
}

Expr make_bool(bool value) { return Expr(boolean, IntImm{value}); }

Expr make_float(double value, DataType type) {
  require(type.is_float(), "make_float: {} is not a floating type", type);
  if (type.is_vector()) return make_broadcast(make_float(value, type.element()), type.lanes);
  return Expr(type, FloatImm{round_to_type(value, type)});
}

Expr make_string(std::string value) { return Expr(handle_type, StringImm{std::move(value)}); }

Expr make_const(double value, DataType type) {
  return type.is_float() ? make_float(value, type) : make_int(static_cast<std::int64_t>(value), type);
}

Expr make_cast(DataType type, Expr value) {
  const DataType from = value.type();
  if (from == type) return value;
  require(from.lanes == type.lanes, "cast from {} to {}: the lanes differ", from, type);
  require(!from.is_handle() && !type.is_handle() && !from.is_none() && !type.is_none(),
          "cast from {} to {}: only numbers can be cast", from, type);
  return Expr(type, Cast{std::move(value)});
}

namespace {

void check_computable(const char* what, DataType type) {
  require(!type.is_storage_only(), "{} on {}: this type can only be loaded, cast and stored; cast it first",
          what, type);
  require(!type.is_handle() && !type.is_none(), "{} on {}: the operand must be a number", what, type);
}

const char* binary_name(BinaryOp op) {
  static constexpr const char* names[] = {"+",   "-",   "*",  "/",  "//", "%",  "truncdiv", "truncmod",
                                          "min", "max", "==", "!=", "<",  "<=", ">",        ">=",
                                          "and", "or",  "&",  "|",  "^",  "<<", ">>"};
  return names[static_cast<int>(op)];
}

}  // namespace

Expr make_unary(UnaryOp op, Expr operand) {
  const DataType type = operand.type();
  switch (op) {
    case UnaryOp::negate:
      check_computable("-", type);
      require(!type.is_bool(), "-: the operand is bool, must be a number");
      break;
    case UnaryOp::logical_not: require(type.is_bool(), "not: the operand is {}, must be bool", type); break;
    case UnaryOp::bit_not:
      check_computable("~", type);
      require(type.is_integer(), "~: the operand is {}, must be an integer", type);
      break;
  }
  return Expr(type, Unary{op, std::move(operand)});
}

namespace {

/// An operand as a sentence shows it: long ones by their beginning.
std::string shown(const Expr& e) {
  constexpr std::size_t most = 40;
  const std::string text = print(e);
  return text.size() <= most ? text : text.substr(0, most) + "…";
}

}  // namespace

Expr make_binary(BinaryOp op, Expr left, Expr right) {
  const DataType type = left.type();
  const char* name = binary_name(op);
  if (type != right.type())
    fail("{}: the operands {} and {} are {} and {}; cast one of them", name, shown(left), shown(right), type,
         right.type());
  check_computable(name, type);
  switch (op) {
    case BinaryOp::div:
      require(type.is_float(),
              "/: the operands are {}; integers divide by floor_div(a, b), in text a // b, or by "
              "trunc_div(a, b), in text T.truncdiv(a, b)",
              type);
      break;
    case BinaryOp::floor_div:
    case BinaryOp::floor_mod:
    case BinaryOp::trunc_div:
    case BinaryOp::trunc_mod:
    case BinaryOp::shift_left:
    case BinaryOp::shift_right:
      require(type.is_integer(), "{}: the operands are {}, must be integers", name, type);
      break;
    case BinaryOp::bit_and:
    case BinaryOp::bit_or:
    case BinaryOp::bit_xor:
      require(type.is_integer() || type.is_bool(), "{}: the operands are {}, must be integers", name, type);
      break;
    case BinaryOp::logical_and:
    case BinaryOp::logical_or:
      require(type.is_bool(), "{}: the operands are {}, must be bool", name, type);
      break;
    case BinaryOp::add:
    case BinaryOp::sub:
    case BinaryOp::mul:
    case BinaryOp::min:
    case BinaryOp::max:
      require(!type.is_bool(), "{}: the operands are bool; cast them to an integer", name);
      break;
    default: break;
  }
  const DataType result = is_comparison(op) ? boolean.with_lanes(type.lanes) : type;
  return Expr(result, Binary{op, std::move(left), std::move(right)});
}

Expr make_select(Expr condition, Expr when_true, Expr when_false) {
  const DataType type = when_true.type();
  require(condition.type().is_bool(), "T.Select: the condition is {}, must be bool", condition.type());
  require(type == when_false.type(), "T.Select: the sides are {} and {}; cast one of them", type,
          when_false.type());
  require(condition.type().lanes == 1 || condition.type().lanes == type.lanes,
          "T.Select: the condition has {} lanes, the sides {}", condition.type().lanes, type.lanes);
  return Expr(type, Select{std::move(condition), std::move(when_true), std::move(when_false)});
}

Expr make_let(Var var, Expr value, Expr body) {
  require(var.type() == value.type(), "let {}: the variable is {}, its value {}", var.name(), var.type(),
          value.type());
  const DataType type = body.type();
  return Expr(type, Let{std::move(var), std::move(value), std::move(body)});
}

Expr make_load(Buffer buffer, std::vector<Expr> indices, Expr predicate) {
  require(indices.size() == buffer->shape.size(), "{}[…]: {} indices for {} dimensions", buffer->name,
          indices.size(), buffer->shape.size());
  int lanes = 1;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const DataType type = indices[i].type();
    require(type.is_integer(), "{}[…]: index {} is {}, must be an integer", buffer->name, i + 1, type);
    if (type.lanes == 1) continue;
    require(lanes == 1 || lanes == type.lanes, "{}[…]: indices of {} and of {} lanes", buffer->name, lanes,
            type.lanes);
    lanes = type.lanes;
  }
  if (predicate.defined())
    require(predicate.type() == boolean.with_lanes(lanes), "{}[…]: the predicate is {}, must be {}",
            buffer->name, predicate.type(), boolean.with_lanes(lanes));
  const std::int64_t all_lanes = std::int64_t{buffer->type.lanes} * lanes;
  require(all_lanes <= 4096, "{}[…]: more than 4096 lanes", buffer->name);
  const DataType type = buffer->type.with_lanes(all_lanes);
  return Expr(type, Load{std::move(buffer), std::move(indices), std::move(predicate)});
}

Expr make_ramp(Expr base, Expr stride, std::int64_t lanes) {
  require(base.type().is_integer() && base.type().is_scalar() && stride.type() == base.type(),
          "T.Ramp: base and stride are {} and {}, must be scalar integers of one type", base.type(),
          stride.type());
  require(lanes >= 2 && lanes <= 4096, "T.Ramp: {} lanes, must be 2 to 4096", lanes);
  const DataType type = base.type().with_lanes(lanes);
  return Expr(type, Ramp{std::move(base), std::move(stride)});
}

Expr make_broadcast(Expr value, std::int64_t lanes) {
  require(value.type().is_scalar() && !value.type().is_none(),
          "T.Broadcast: the value is {}, must be a scalar", value.type());
  require(lanes >= 2 && lanes <= 4096, "T.Broadcast: {} lanes, must be 2 to 4096", lanes);
  const DataType type = value.type().with_lanes(lanes);
  return Expr(type, Broadcast{std::move(value)});
}

Expr make_shuffle(std::vector<Expr> vectors, std::vector<std::int64_t> indices) {
  require(!vectors.empty() && !indices.empty() && indices.size() <= 4096,
          "T.Shuffle: needs vectors and 1 to 4096 indices");
  std::int64_t total = 0;
  for (const Expr& v : vectors) {
    require(v.type().element() == vectors[0].type().element(), "T.Shuffle: vectors of {} and of {}",
            vectors[0].type(), v.type());
    total += v.type().lanes;
  }
  for (const std::int64_t i : indices)
    require(i >= 0 && i < total, "T.Shuffle: index {} is not among the {} lanes", i, total);
  const DataType type = vectors[0].type().with_lanes(static_cast<std::int64_t>(indices.size()));
  return Expr(type, Shuffle{std::move(vectors), std::move(indices)});
}

std::optional<std::int64_t> constant_int(const Expr& e) {
  if (const auto* imm = e.as<IntImm>()) return imm->value;
  return std::nullopt;
}

void refuse_large_literal(std::uint64_t value) {
  fail("the literal {} is too large for int64; make_int(…, uint64) takes its bits", value);
}

namespace {

/// How readily a constant takes another type: a whole number first, then what C++ writes as a double.
int yields(const Expr& e) {
  if (e.is<IntImm>()) return 3;
  if (!e.is<FloatImm>()) return 0;
  return e.type() == float64 ? 2 : 1;
}

/// The literal as a constant of that type: `x + 1` needs no cast, whatever x is.
Expr literal_as(const Expr& literal, DataType type) {
  if (const auto* whole = literal.as<IntImm>())
    return type.is_float() ? make_float(static_cast<double>(whole->value), type)
                           : make_int(whole->value, type);
  const double value = literal.as<FloatImm>()->value;
  require(type.is_float(),
          "the literal {} stands beside an expression of type {}; cast the expression to a float, or write "
          "an integer",
          value, type);
  return make_float(value, type);
}

Expr binary(BinaryOp op, Expr a, Expr b) {
  settle_literals(a, b);
  return make_binary(op, std::move(a), std::move(b));
}

}  // namespace

void settle_literals(Expr& a, Expr& b) {
  if (a.type() == b.type()) return;
  const int a_yields = yields(a), b_yields = yields(b);
  if (a_yields > b_yields)
    a = literal_as(a, b.type());
  else if (b_yields > 0)
    b = literal_as(b, a.type());
}

Expr operator+(const Expr& a, const Expr& b) { return binary(BinaryOp::add, a, b); }
Expr operator-(const Expr& a, const Expr& b) { return binary(BinaryOp::sub, a, b); }
Expr operator*(const Expr& a, const Expr& b) { return binary(BinaryOp::mul, a, b); }
Expr operator/(const Expr& a, const Expr& b) { return binary(BinaryOp::div, a, b); }
Expr operator%(const Expr& a, const Expr& b) { return binary(BinaryOp::floor_mod, a, b); }
Expr operator-(const Expr& a) { return make_unary(UnaryOp::negate, a); }
Expr& operator+=(Expr& a, const Expr& b) { return a = a + b; }
Expr& operator-=(Expr& a, const Expr& b) { return a = a - b; }
Expr& operator*=(Expr& a, const Expr& b) { return a = a * b; }
Expr& operator/=(Expr& a, const Expr& b) { return a = a / b; }
Expr& operator%=(Expr& a, const Expr& b) { return a = a % b; }
Expr floor_div(const Expr& a, const Expr& b) { return binary(BinaryOp::floor_div, a, b); }
Expr floor_mod(const Expr& a, const Expr& b) { return binary(BinaryOp::floor_mod, a, b); }
Expr trunc_div(const Expr& a, const Expr& b) { return binary(BinaryOp::trunc_div, a, b); }
Expr trunc_mod(const Expr& a, const Expr& b) { return binary(BinaryOp::trunc_mod, a, b); }
Expr min(const Expr& a, const Expr& b) { return binary(BinaryOp::min, a, b); }
Expr max(const Expr& a, const Expr& b) { return binary(BinaryOp::max, a, b); }
Expr operator<(const Expr& a, const Expr& b) { return binary(BinaryOp::lt, a, b); }
Expr operator<=(const Expr& a, const Expr& b) { return binary(BinaryOp::le, a, b); }
Expr operator>(const Expr& a, const Expr& b) { return binary(BinaryOp::gt, a, b); }
Expr operator>=(const Expr& a, const Expr& b) { return binary(BinaryOp::ge, a, b); }
Expr equals(const Expr& a, const Expr& b) { return binary(BinaryOp::eq, a, b); }
Expr not_equals(const Expr& a, const Expr& b) { return binary(BinaryOp::ne, a, b); }
Expr logical_and(const Expr& a, const Expr& b) { return make_binary(BinaryOp::logical_and, a, b); }
Expr logical_or(const Expr& a, const Expr& b) { return make_binary(BinaryOp::logical_or, a, b); }
Expr logical_not(const Expr& a) { return make_unary(UnaryOp::logical_not, a); }

bool is_zero(const Expr& e) {
  if (const auto* imm = e.as<IntImm>()) return imm->value == 0;
  const auto* real = e.as<FloatImm>();
  return real != nullptr && real->value == 0 && !std::signbit(real->value);
}

bool is_one(const Expr& e) {
  if (const auto* imm = e.as<IntImm>()) return imm->value == 1;
  const auto* real = e.as<FloatImm>();
  return real != nullptr && real->value == 1;
}

bool is_true(const Expr& e) {
  if (!e.defined()) return true;
  const auto* imm = e.as<IntImm>();
  return imm != nullptr && e.type().is_bool() && imm->value != 0;
}

}  // namespace ardea
