#pragma once

#include "tests/random/dependent_loops.h"

namespace ardea::random_programs {

/// A comparison of expressions of loops.
struct Guard {
  IndexExpression left, right;
  char op = '<';  ///< '<', or '=' for ==

  std::string text(const std::vector<std::string>& names) const;
};

/// Draws indices and conditions of the first `depth` of what indices are made of: products, quotients,
/// remainders, least and greatest values of them.
class IndexDraw {
 public:
  /// The instances are those of the loops, or of the iterators of a block in them.
  IndexDraw(Random& random, const DependentLoops& loops, const Instances& instances)
      : random_(random), loops_(loops), instances_(instances) {}

  IndexExpression linear(std::size_t depth);
  IndexExpression any_index(std::size_t depth);
  /// One to three of them, some of which tell all iterations apart.
  Indices any_indices(std::size_t depth);
  Guard any_guard(std::size_t depth);

 private:
  /// As a nest of rectangular loops of the greatest extents would number its iterations.
  IndexExpression row_major(std::size_t depth);
  /// Ranges of an inner loop, one after the other: their length may depend on a loop.
  IndexExpression tile(std::size_t depth);

  Random& random_;
  const DependentLoops& loops_;
  const Instances& instances_;
};

}  // namespace ardea::random_programs
