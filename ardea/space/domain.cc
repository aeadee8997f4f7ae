#include "ardea/space/domain.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/support/text.h"

namespace ardea::space {

Domain Domain::range(std::int64_t low, std::int64_t high) { return of_ranges({{low, high}}); }

Domain Domain::of(const std::vector<std::int64_t>& values) {
  std::vector<Range> ranges;
  ranges.reserve(values.size());
  for (const std::int64_t value : values) ranges.push_back({value, value});
  return of_ranges(std::move(ranges));
}

Domain Domain::of_ranges(std::vector<Range> ranges) {
  std::erase_if(ranges, [](const Range& r) { return r.high < r.low; });
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.low < b.low; });
  Domain domain;
  for (const Range& r : ranges) {
    const bool joins = !domain.ranges_.empty() &&
                       (r.low <= domain.ranges_.back().high || r.low - 1 == domain.ranges_.back().high);
    if (joins)
      domain.ranges_.back().high = std::max(domain.ranges_.back().high, r.high);
    else
      domain.ranges_.push_back(r);
  }
  return domain;
}

std::uint64_t Domain::size() const {
  std::uint64_t size = 0;
  for (const Range& r : ranges_)
    size += static_cast<std::uint64_t>(r.high) - static_cast<std::uint64_t>(r.low) + 1;
  return size;
}

bool Domain::contains(std::int64_t value) const {
  const auto least = at_least(value);
  return least && *least == value;
}

std::vector<std::int64_t> Domain::values() const {
  std::vector<std::int64_t> values;
  values.reserve(size());
  for (const Range& r : ranges_)
    for (std::int64_t value = r.low; value <= r.high; ++value) values.push_back(value);
  return values;
}

std::optional<std::int64_t> Domain::at_least(std::int64_t value) const {
  const auto at =
      std::partition_point(ranges_.begin(), ranges_.end(), [&](const Range& r) { return r.high < value; });
  if (at == ranges_.end()) return std::nullopt;
  return std::max(at->low, value);
}

std::optional<std::int64_t> Domain::at_most(std::int64_t value) const {
  const auto after =
      std::partition_point(ranges_.begin(), ranges_.end(), [&](const Range& r) { return r.low <= value; });
  if (after == ranges_.begin()) return std::nullopt;
  return std::min(std::prev(after)->high, value);
}

Domain Domain::intersect(const Domain& other) const {
  std::vector<Range> common;
  auto a = ranges_.begin();
  auto b = other.ranges_.begin();
  while (a != ranges_.end() && b != other.ranges_.end()) {
    common.push_back({std::max(a->low, b->low), std::min(a->high, b->high)});
    a->high < b->high ? ++a : ++b;
  }
  return of_ranges(std::move(common));
}

Domain Domain::complement() const {
  std::vector<Range> gaps;
  std::int64_t from = -largest_value;
  for (const Range& r : ranges_) {
    gaps.push_back({from, r.low - 1});
    from = r.high + 1;
  }
  gaps.push_back({from, largest_value});
  return of_ranges(std::move(gaps));
}

std::string Domain::to_string() const {
  if (ranges_.size() == 1 && ranges_[0].low < ranges_[0].high)
    return fmt::format("{}..{}", ranges_[0].low, ranges_[0].high);
  std::vector<std::string> parts;
  for (const Range& r : ranges_) {
    if (r.high - r.low < 3) {
      for (std::int64_t value = r.low; value <= r.high; ++value) parts.push_back(std::to_string(value));
    } else {
      parts.push_back(fmt::format("{}..{}", r.low, r.high));
    }
  }
  return "{" + join(parts, ", ") + "}";
}

}  // namespace ardea::space
