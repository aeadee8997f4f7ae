#pragma once

#include <utility>

#include "tests/random/index_expression.h"

namespace ardea::random_programs {

using Point = std::vector<std::int64_t>;
using Indices = std::vector<IndexExpression>;

/// The values of the indices where loops, or iterators, have those of the point.
Point place_at(const Indices& indices, const Point& point);

/// The values of what indices are made of, in each iteration of a nest and in its order. What a generator
/// must know of indices it finds by going through them.
struct Instances {
  std::vector<Point> points;
  bool are_loops = true;  ///< the loops' own values; else those of a block's iterators

  /// Of a block's iterators.
  Instances of(const Indices& bindings) const;
  /// The least and greatest value.
  std::pair<std::int64_t, std::int64_t> reach(const IndexExpression& e) const;
  /// Whether iterations that differ in the first `depth` values have different places.
  bool tells_apart(const Indices& indices, std::size_t depth) const;
  /// Whether the places are every element from 0 on to their greatest.
  bool covers_a_box(const Indices& indices) const;
};

}  // namespace ardea::random_programs
