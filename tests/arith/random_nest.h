#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ardea/ir/stmt.h"
#include "evaluate.h"

/// Small random loop nests whose bounds depend on loops around, and index functions over them, to be
/// enumerated.
///
/// What they cannot be: blocks (their bindings are put in for their iterators before anything is asked; the
/// random programs of tests/random have them), bounds or indices read from memory (nothing is claimed of
/// these), vectors, symbolic shapes (the loops around those that are asked about take their part).

namespace ardea::arith_tests {

using Loop = std::pair<Var, Range>;
using Values = std::vector<std::int64_t>;

struct RandomNest {
  std::vector<Loop> loops;  ///< outermost first
  Expr guard;               ///< True where there is none
};

RandomNest random_nest_of_dependent_loops(Random& random);

/// A condition on one or two of the loops.
Expr random_guard(Random& random, const RandomNest& nest);

/// Sums of loops, quotients, remainders and products of them; often digits as splits and fuses make them.
Expr random_index(Random& random, const RandomNest& nest);

/// Every iteration in order, those in which the guard fails left out; nothing where they are too many.
std::optional<std::vector<Point>> iterations_of(const RandomNest& nest, std::size_t most);

std::string to_text(const RandomNest& nest);

}  // namespace ardea::arith_tests
