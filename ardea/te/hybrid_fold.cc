#include "ardea/te/hybrid_fold.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "ardea/support/error.h"

namespace ardea::te {

namespace {

using Wide = __int128;

Wide wide(const BareNumber& number) {
  const Wide magnitude = number.magnitude;
  return number.negative ? -magnitude : magnitude;
}

double real(const BareNumber& number) {
  double value = static_cast<double>(number.magnitude);
  if (number.real) {
    const auto read = std::from_chars(number.text.data(), number.text.data() + number.text.size(), value);
    require(read.ec == std::errc(), "the number {} does not fit float64", number.text);
  }
  return number.negative ? -value : value;
}

Operand integer_result(Wide value) {
  constexpr Wide top = std::numeric_limits<std::uint64_t>::max(), bottom = Wide{1} << 63;
  require(value <= top && value >= -bottom, "the constant does not fit 64 bits");
  const auto magnitude = static_cast<std::uint64_t>(value < 0 ? -value : value);
  return {{}, BareNumber{fmt::format("{}{}", value < 0 ? "-" : "", magnitude), false, value < 0, magnitude}};
}

Operand real_result(double value) {
  require(std::isfinite(value), "the constant does not fit float64");
  return {{}, BareNumber{fmt::format("{}", std::abs(value)), true, std::signbit(value)}};
}

template <class Number>
std::optional<bool> compared(BinaryOp op, Number a, Number b) {
  switch (op) {
    case BinaryOp::eq: return a == b;
    case BinaryOp::ne: return a != b;
    case BinaryOp::lt: return a < b;
    case BinaryOp::le: return a <= b;
    case BinaryOp::gt: return a > b;
    case BinaryOp::ge: return a >= b;
    default: return std::nullopt;
  }
}

Wide shifted(BinaryOp op, Wide a, Wide b) {
  require(b >= 0 && b < 64, "a shift by a constant outside 0 … 63");
  return op == BinaryOp::shift_left ? a * (Wide{1} << b) : a >> b;
}

std::optional<Operand> fold_integers(BinaryOp op, Wide a, Wide b) {
  const auto floor_quotient = [&] {
    require(b != 0, "a division by zero");
    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
  };
  switch (op) {
    case BinaryOp::add: return integer_result(a + b);
    case BinaryOp::sub: return integer_result(a - b);
    case BinaryOp::mul: {
      Wide product = 0;
      require(!__builtin_mul_overflow(a, b, &product), "the constant does not fit 64 bits");
      return integer_result(product);
    }
    case BinaryOp::floor_div: return integer_result(floor_quotient());
    case BinaryOp::floor_mod: return integer_result(a - floor_quotient() * b);
    case BinaryOp::min: return integer_result(std::min(a, b));
    case BinaryOp::max: return integer_result(std::max(a, b));
    case BinaryOp::bit_and: return integer_result(a & b);
    case BinaryOp::bit_or: return integer_result(a | b);
    case BinaryOp::bit_xor: return integer_result(a ^ b);
    case BinaryOp::shift_left:
    case BinaryOp::shift_right: return integer_result(shifted(op, a, b));
    default: return std::nullopt;
  }
}

std::optional<Operand> fold_reals(BinaryOp op, double a, double b) {
  switch (op) {
    case BinaryOp::add: return real_result(a + b);
    case BinaryOp::sub: return real_result(a - b);
    case BinaryOp::mul: return real_result(a * b);
    case BinaryOp::div: require(b != 0, "a division by zero"); return real_result(a / b);
    case BinaryOp::min: return real_result(std::min(a, b));
    case BinaryOp::max: return real_result(std::max(a, b));
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<Operand> fold(BinaryOp op, const BareNumber& a, const BareNumber& b) {
  const bool integers = !a.real && !b.real;
  if (is_comparison(op))
    return Operand{make_bool(integers ? *compared(op, wide(a), wide(b)) : *compared(op, real(a), real(b)))};
  if (integers && op != BinaryOp::div) return fold_integers(op, wide(a), wide(b));
  return fold_reals(op, real(a), real(b));
}

Operand fold_power(const BareNumber& a, const BareNumber& b) {
  if (a.real || b.real || b.negative) {
    require(real(a) != 0 || real(b) >= 0, "a negative power of zero");
    return real_result(std::pow(real(a), real(b)));
  }
  const Wide base = wide(a);
  if (base == 0 || base == 1) return integer_result(b.magnitude == 0 ? 1 : base);
  if (base == -1) return integer_result(b.magnitude % 2 == 0 ? 1 : -1);
  require(b.magnitude <= 64, "the constant does not fit 64 bits");
  Wide power = 1;
  for (std::uint64_t i = 0; i < b.magnitude; ++i)
    require(!__builtin_mul_overflow(power, base, &power), "the constant does not fit 64 bits");
  return integer_result(power);
}

std::optional<std::int64_t> integer_of(const BareNumber& number) {
  if (number.real) return std::nullopt;
  const Wide value = wide(number);
  if (value > std::numeric_limits<std::int64_t>::max() || value < std::numeric_limits<std::int64_t>::min())
    return std::nullopt;
  return static_cast<std::int64_t>(value);
}

}  // namespace ardea::te
