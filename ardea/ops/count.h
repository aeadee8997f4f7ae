#pragma once

#include <cstdint>

namespace ardea::ops {

/// Thrown where a Count leaves 63 bits.
struct CountOverflow {};

/// A number of elements, bytes or operations: an integer whose arithmetic never wraps.
class Count {
 public:
  constexpr Count(std::int64_t value) : value_(value) {}
  constexpr std::int64_t value() const { return value_; }

  friend constexpr Count operator+(Count a, Count b) {
    std::int64_t result = 0;
    if (__builtin_add_overflow(a.value_, b.value_, &result)) throw CountOverflow();
    return result;
  }
  friend constexpr Count operator-(Count a, Count b) {
    std::int64_t result = 0;
    if (__builtin_sub_overflow(a.value_, b.value_, &result)) throw CountOverflow();
    return result;
  }
  friend constexpr Count operator*(Count a, Count b) {
    std::int64_t result = 0;
    if (__builtin_mul_overflow(a.value_, b.value_, &result)) throw CountOverflow();
    return result;
  }
  /// Rounded down; b > 0.
  friend constexpr Count operator/(Count a, Count b) {
    const std::int64_t quotient = a.value_ / b.value_;
    return quotient - (a.value_ % b.value_ < 0 ? 1 : 0);
  }

 private:
  std::int64_t value_;
};

}  // namespace ardea::ops
