#include "tests/random/instances.h"

#include <algorithm>
#include <map>
#include <set>

namespace ardea::random_programs {

Point place_at(const Indices& indices, const Point& point) {
  Point place;
  for (const IndexExpression& index : indices) place.push_back(index.value(point));
  return place;
}

Instances Instances::of(const Indices& bindings) const {
  Instances iterators{.points = {}, .are_loops = false};
  for (const Point& point : points) iterators.points.push_back(place_at(bindings, point));
  return iterators;
}

std::pair<std::int64_t, std::int64_t> Instances::reach(const IndexExpression& e) const {
  std::int64_t low = e.value(points[0]), high = low;
  for (const Point& point : points) {
    low = std::min(low, e.value(point));
    high = std::max(high, e.value(point));
  }
  return {low, high};
}

bool Instances::tells_apart(const Indices& indices, std::size_t depth) const {
  std::map<Point, Point> seen;
  for (const Point& point : points) {
    const Point prefix(point.begin(), point.begin() + static_cast<std::ptrdiff_t>(depth));
    const auto [found, is_new] = seen.emplace(place_at(indices, point), prefix);
    if (!is_new && found->second != prefix) return false;
  }
  return true;
}

bool Instances::covers_a_box(const Indices& indices) const {
  std::set<Point> reached;
  for (const Point& point : points) reached.insert(place_at(indices, point));
  std::size_t elements = 1;
  for (const IndexExpression& index : indices) {
    const auto [low, high] = reach(index);
    if (low != 0) return false;
    elements *= static_cast<std::size_t>(high + 1);
  }
  return reached.size() == elements;
}

}  // namespace ardea::random_programs
