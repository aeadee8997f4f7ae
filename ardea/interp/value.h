#pragma once

#include <cstdint>
#include <memory>

namespace ardea::interp {

struct Allocation;

/// One lane of a value. Integers and bool are kept as the number itself (uint64 as its bits), floats of every
/// width as the exact double, an address as an allocation and a position in bits from its start (int4
/// elements begin in mid-byte).
struct Lane {
  union {
    std::int64_t integer = 0;
    double real;
  };
  Allocation* memory = nullptr;
};

inline Lane integer_lane(std::int64_t value) {
  Lane lane;
  lane.integer = value;
  return lane;
}

inline Lane real_lane(double value) {
  Lane lane;
  lane.real = value;
  return lane;
}

inline Lane address_lane(Allocation* memory, std::int64_t bit) {
  Lane lane;
  lane.integer = bit;
  lane.memory = memory;
  return lane;
}

/// The lanes of a value; a scalar lies inside the object, since nearly all values are scalars. Empty means
/// "no value".
class Lanes {
 public:
  Lanes() = default;
  Lanes(Lane one) : count_(1), one_(one) {}  // implicit: a lane is a scalar value
  explicit Lanes(int count) : count_(count) {
    if (count > 1) many_ = std::make_unique<Lane[]>(static_cast<std::size_t>(count));
  }
  Lanes(Lanes&& other) noexcept = default;
  Lanes& operator=(Lanes&& other) noexcept = default;
  Lanes(const Lanes& other) : Lanes(other.count_) {
    for (int k = 0; k < count_; ++k) (*this)[k] = other[k];
  }
  Lanes& operator=(const Lanes& other) { return *this = Lanes(other); }

  int count() const { return count_; }
  bool empty() const { return count_ == 0; }
  Lane& operator[](int k) { return many_ ? many_[static_cast<std::size_t>(k)] : one_; }
  const Lane& operator[](int k) const { return many_ ? many_[static_cast<std::size_t>(k)] : one_; }

  /// Lane k, where a scalar stands for itself in every lane.
  const Lane& broadcast(int k) const { return count_ == 1 ? one_ : (*this)[k]; }

 private:
  int count_ = 0;
  Lane one_;
  std::unique_ptr<Lane[]> many_;
};

}  // namespace ardea::interp
