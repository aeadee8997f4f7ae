#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ardea::space {

/// Values and coefficients lie within ±largest_value: a sum of 64 products of two of them fits into 128 bits,
/// so that nothing here ever wraps around.
inline constexpr std::int64_t largest_value = std::int64_t{1} << 60;

struct Range {
  std::int64_t low, high;  ///< both included
  friend bool operator==(const Range&, const Range&) = default;
};

/// A set of integers: ranges in ascending order that neither overlap nor touch, so that equal sets are equal
/// lists. Prints as `1..10`, as `{1, 2, 4..8}`, and as `{}` where it is empty.
class Domain {
 public:
  Domain() = default;
  static Domain range(std::int64_t low, std::int64_t high);
  static Domain of(const std::vector<std::int64_t>& values);
  /// In any order, overlapping or not; a range that ends before it begins is empty.
  static Domain of_ranges(std::vector<Range> ranges);
  static Domain everything() { return range(-largest_value, largest_value); }

  bool empty() const { return ranges_.empty(); }
  std::int64_t min() const { return ranges_.front().low; }
  std::int64_t max() const { return ranges_.back().high; }
  std::uint64_t size() const;
  bool contains(std::int64_t value) const;
  const std::vector<Range>& ranges() const { return ranges_; }
  std::vector<std::int64_t> values() const;

  /// The least member not below `value`, and the greatest not above it.
  std::optional<std::int64_t> at_least(std::int64_t value) const;
  std::optional<std::int64_t> at_most(std::int64_t value) const;

  Domain intersect(const Domain& other) const;
  /// Everything within ±largest_value that is not in this set.
  Domain complement() const;

  std::string to_string() const;

  friend bool operator==(const Domain&, const Domain&) = default;

 private:
  std::vector<Range> ranges_;
};

}  // namespace ardea::space
