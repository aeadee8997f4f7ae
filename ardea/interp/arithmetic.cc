#include "ardea/interp/arithmetic.h"

#include <cmath>
#include <limits>

#include "ardea/support/error.h"
#include "ardea/support/narrow_float.h"

namespace ardea::interp {

namespace {

std::uint64_t bits_of(Lane lane) { return static_cast<std::uint64_t>(lane.integer); }

bool is_division(BinaryOp op) {
  return op == BinaryOp::floor_div || op == BinaryOp::floor_mod || op == BinaryOp::trunc_div ||
         op == BinaryOp::trunc_mod;
}

template <class T>
bool compare(BinaryOp op, T a, T b) {
  switch (op) {
    case BinaryOp::eq: return a == b;
    case BinaryOp::ne: return a != b;
    case BinaryOp::lt: return a < b;
    case BinaryOp::le: return a <= b;
    case BinaryOp::gt: return a > b;
    default: return a >= b;
  }
}

std::uint64_t divide_unsigned(BinaryOp op, std::uint64_t a, std::uint64_t b) {
  return op == BinaryOp::floor_div || op == BinaryOp::trunc_div ? a / b : a % b;
}

std::uint64_t divide_signed(BinaryOp op, std::int64_t a, std::int64_t b) {
  const auto ua = static_cast<std::uint64_t>(a);
  if (b == -1)  // a / -1 overflows for the smallest a, which wraps to itself
    return op == BinaryOp::floor_div || op == BinaryOp::trunc_div ? 0 - ua : 0;
  const std::int64_t quotient = a / b, remainder = a % b;
  const bool below =
      remainder != 0 && (remainder < 0) != (b < 0);  // the true quotient is below the truncated one
  switch (op) {
    case BinaryOp::trunc_div: return static_cast<std::uint64_t>(quotient);
    case BinaryOp::trunc_mod: return static_cast<std::uint64_t>(remainder);
    case BinaryOp::floor_div: return static_cast<std::uint64_t>(below ? quotient - 1 : quotient);
    default: return static_cast<std::uint64_t>(below ? remainder + b : remainder);
  }
}

std::uint64_t shift_left(std::int64_t value, std::uint64_t amount, DataType type) {
  return amount >= type.bits ? 0 : static_cast<std::uint64_t>(value) << amount;
}

std::uint64_t shift_right(std::int64_t value, std::uint64_t amount, DataType type) {
  if (type.is_uint()) return amount >= type.bits ? 0 : static_cast<std::uint64_t>(value) >> amount;
  return static_cast<std::uint64_t>(value >> (amount >= type.bits ? 63 : amount));
}

// Operands of bool are 0 or 1, which every case below keeps.
Lane apply_integer(BinaryOp op, DataType type, Lane left, Lane right) {
  const std::uint64_t a = bits_of(left), b = bits_of(right);
  const bool is_unsigned = type.is_uint();
  if (is_comparison(op))
    return integer_lane(is_unsigned ? compare(op, a, b) : compare(op, left.integer, right.integer));
  if (is_division(op))
    return integer_lane(
        wrap(is_unsigned ? divide_unsigned(op, a, b) : divide_signed(op, left.integer, right.integer), type));
  const bool left_is_less = is_unsigned ? a < b : left.integer < right.integer;
  switch (op) {
    case BinaryOp::add: return integer_lane(wrap(a + b, type));
    case BinaryOp::sub: return integer_lane(wrap(a - b, type));
    case BinaryOp::mul: return integer_lane(wrap(a * b, type));
    case BinaryOp::min: return left_is_less ? left : right;
    case BinaryOp::max: return left_is_less ? right : left;
    case BinaryOp::logical_and:
    case BinaryOp::bit_and: return integer_lane(wrap(a & b, type));
    case BinaryOp::logical_or:
    case BinaryOp::bit_or: return integer_lane(wrap(a | b, type));
    case BinaryOp::bit_xor: return integer_lane(wrap(a ^ b, type));
    case BinaryOp::shift_left: return integer_lane(wrap(shift_left(left.integer, b, type), type));
    case BinaryOp::shift_right: return integer_lane(wrap(shift_right(left.integer, b, type), type));
    default: throw InternalError("apply: the operation has no meaning on " + to_string(type));
  }
}

double minimum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;  // -0 is below +0
  return a < b ? a : b;
}

double maximum(double a, double b) { return -minimum(-a, -b); }

template <class T>
T compute(BinaryOp op, T a, T b) {
  switch (op) {
    case BinaryOp::add: return a + b;
    case BinaryOp::sub: return a - b;
    case BinaryOp::mul: return a * b;
    case BinaryOp::div: return a / b;
    default: throw InternalError("apply: the operation has no meaning on floats");
  }
}

Lane apply_float(BinaryOp op, DataType type, Lane left, Lane right) {
  const double a = left.real, b = right.real;
  if (is_comparison(op)) return integer_lane(compare(op, a, b));
  if (op == BinaryOp::min) return real_lane(minimum(a, b));
  if (op == BinaryOp::max) return real_lane(maximum(a, b));
  if (type == float64) return real_lane(compute(op, a, b));
  const float result = compute(op, static_cast<float>(a), static_cast<float>(b));
  return real_lane(type == float32 ? result : round_to_type(result, type));
}

// Both casts below are exact where they are reached: the value lies inside the type.
std::int64_t saturate(double value, DataType type) {
  if (std::isnan(value)) return 0;
  if (type.is_uint()) {
    if (value <= 0) return 0;
    if (value >= std::ldexp(1.0, type.bits)) return wrap(~std::uint64_t{0}, type);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(value));
  }
  const std::int64_t highest = std::numeric_limits<std::int64_t>::max() >> (64 - type.bits);
  const double limit = std::ldexp(1.0, type.bits - 1);
  if (value >= limit) return highest;
  if (value <= -limit) return -highest - 1;
  return static_cast<std::int64_t>(value);
}

// The integer as a double that rounds to a type narrower than float32 as the integer itself would: bits that
// do not fit leave a sticky one behind, so that a number just above a tie does not become the tie.
double sticky_double(std::uint64_t magnitude, bool negative) {
  if (magnitude >> 53 != 0)
    magnitude = (magnitude & ~std::uint64_t{0xfff}) | ((magnitude & 0xfff) != 0 ? 0x800 : 0);
  const auto value = static_cast<double>(magnitude);
  return negative ? -value : value;
}

double float_from_integer(Lane value, DataType from, DataType to) {
  const bool is_unsigned = from.is_uint();
  if (to == float64)
    return is_unsigned ? static_cast<double>(bits_of(value)) : static_cast<double>(value.integer);
  if (to == float32)
    return is_unsigned ? static_cast<float>(bits_of(value)) : static_cast<float>(value.integer);
  const bool negative = !is_unsigned && value.integer < 0;
  return round_to_type(sticky_double(negative ? 0 - bits_of(value) : bits_of(value), negative), to);
}

}  // namespace

std::int64_t wrap(std::uint64_t bits, DataType type) {
  if (type.bits == 64) return static_cast<std::int64_t>(bits);
  const int unused = 64 - type.bits;
  if (type.is_int()) return static_cast<std::int64_t>(bits << unused) >> unused;
  return static_cast<std::int64_t>(bits << unused >> unused);
}

bool is_undefined(BinaryOp op, DataType type, Lane right) {
  return is_division(op) && !type.is_float() && right.integer == 0;
}

Lane apply(BinaryOp op, DataType type, Lane left, Lane right) {
  return type.is_float() ? apply_float(op, type, left, right) : apply_integer(op, type, left, right);
}

Lane apply(UnaryOp op, DataType type, Lane operand) {
  switch (op) {
    case UnaryOp::negate:
      return type.is_float() ? real_lane(-operand.real) : integer_lane(wrap(0 - bits_of(operand), type));
    case UnaryOp::logical_not: return integer_lane(operand.integer == 0);
    case UnaryOp::bit_not: return integer_lane(wrap(~bits_of(operand), type));
  }
  throw InternalError("apply: unknown unary operation");
}

Lane convert(Lane value, DataType from, DataType to) {
  if (from.is_float()) {
    if (to.is_float()) return real_lane(round_to_type(value.real, to));
    if (to.is_bool()) return integer_lane(value.real != 0);
    return integer_lane(saturate(value.real, to));
  }
  if (to.is_float()) return real_lane(float_from_integer(value, from, to));
  if (to.is_bool()) return integer_lane(value.integer != 0);
  return integer_lane(wrap(bits_of(value), to));
}

}  // namespace ardea::interp
