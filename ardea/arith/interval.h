#pragma once

#include <cstdint>
#include <optional>

#include "ardea/support/data_type.h"

namespace ardea::arith {

/// Room for the product of two 64-bit numbers.
using Wide = __int128;

/// [low, high] of integers; beyond ±2^63 a side is infinite. Infinite sides are exactly ±`infinity`.
struct Interval {
  static constexpr Wide infinity = Wide{1} << 64;
  Wide low = -infinity, high = infinity;

  bool has_low() const { return low > -infinity; }
  bool has_high() const { return high < infinity; }
  bool is_point() const { return low == high && has_low(); }
  bool within(const Interval& outer) const { return low >= outer.low && high <= outer.high; }
};

Interval point(std::int64_t value);
Interval operator+(const Interval& a, const Interval& b);
Interval operator-(const Interval& a);
Interval operator*(const Interval& a, const Interval& b);
/// Floor division by a divisor that is positive throughout.
Interval floor_divide(const Interval& a, const Interval& positive);
Interval power(const Interval& a, int exponent);
Interval unite(const Interval& a, const Interval& b);
/// Facts may contradict each other where code is dead: the left side then stands.
Interval intersect(const Interval& a, const Interval& b);
Interval minimum(const Interval& a, const Interval& b);
Interval maximum(const Interval& a, const Interval& b);

/// The values of an integer type; those of bool are 0 and 1. 64-bit types have infinite sides.
Interval values_of(DataType type);

std::optional<std::int64_t> low_of(const Interval& a);
std::optional<std::int64_t> high_of(const Interval& a);

}  // namespace ardea::arith
