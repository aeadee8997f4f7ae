#include "ardea/arith/interval.h"

#include <algorithm>

namespace ardea::arith {

namespace {

constexpr Wide largest_finite = (Wide{1} << 63) - 1;
constexpr Wide smallest_finite = -(Wide{1} << 63);

// Finite values stay within 64 bits, so that products of two never leave 128.
Wide low_side(Wide value) {
  return value < smallest_finite ? -Interval::infinity : std::min(value, largest_finite);
}
Wide high_side(Wide value) {
  return value > largest_finite ? Interval::infinity : std::max(value, smallest_finite);
}

bool finite(Wide value) { return value > -Interval::infinity && value < Interval::infinity; }

Wide times(Wide a, Wide b) {
  if (a == 0 || b == 0) return 0;
  if (finite(a) && finite(b)) return a * b;
  return (a < 0) == (b < 0) ? Interval::infinity : -Interval::infinity;
}

Wide floor_of(Wide a, Wide b) {
  if (!finite(a)) return a;
  if (!finite(b)) return a < 0 ? -1 : 0;
  const Wide quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

}  // namespace

Interval point(std::int64_t value) { return {value, value}; }

Interval operator+(const Interval& a, const Interval& b) {
  Interval sum;
  if (a.has_low() && b.has_low()) sum.low = low_side(a.low + b.low);
  if (a.has_high() && b.has_high()) sum.high = high_side(a.high + b.high);
  return sum;
}

Interval operator-(const Interval& a) { return {low_side(-a.high), high_side(-a.low)}; }

Interval operator*(const Interval& a, const Interval& b) {
  const Wide corners[] = {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low),
                          times(a.high, b.high)};
  const auto [low, high] = std::minmax_element(std::begin(corners), std::end(corners));
  return {low_side(*low), high_side(*high)};
}

Interval floor_divide(const Interval& a, const Interval& positive) {
  const Wide corners[] = {floor_of(a.low, positive.low), floor_of(a.low, positive.high),
                          floor_of(a.high, positive.low), floor_of(a.high, positive.high)};
  const auto [low, high] = std::minmax_element(std::begin(corners), std::end(corners));
  return {low_side(*low), high_side(*high)};
}

Interval power(const Interval& a, int exponent) {
  Interval result = point(1);
  for (int i = 0; i < exponent; ++i) result = result * a;
  if (exponent % 2 == 0 && result.low < 0) result.low = 0;
  return result;
}

Interval unite(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Interval intersect(const Interval& a, const Interval& b) {
  const Interval both{std::max(a.low, b.low), std::min(a.high, b.high)};
  return both.low <= both.high ? both : a;
}

Interval minimum(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::min(a.high, b.high)};
}
Interval maximum(const Interval& a, const Interval& b) {
  return {std::max(a.low, b.low), std::max(a.high, b.high)};
}

Interval values_of(DataType type) {
  if (type.is_bool()) return {0, 1};
  if (type.is_int() && type.bits < 64)
    return {-(Wide{1} << (type.bits - 1)), (Wide{1} << (type.bits - 1)) - 1};
  if (type.is_uint() && type.bits < 64) return {0, (Wide{1} << type.bits) - 1};
  if (type.is_uint()) return {0, Interval::infinity};
  return {};
}

std::optional<std::int64_t> low_of(const Interval& a) {
  return a.has_low() ? std::optional(static_cast<std::int64_t>(a.low)) : std::nullopt;
}
std::optional<std::int64_t> high_of(const Interval& a) {
  return a.has_high() ? std::optional(static_cast<std::int64_t>(a.high)) : std::nullopt;
}

}  // namespace ardea::arith
