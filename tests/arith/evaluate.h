#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <unordered_map>

#include "ardea/arith/analyzer.h"
#include "ardea/support/random.h"

/// A second, independent reading of integer expressions: the oracle of the arithmetic tests.

namespace ardea::arith_tests {

/// How many random cases a test runs: `usual`, or what ARDEA_RANDOM_CASES says, which may be more than a test
/// run should take.
std::uint64_t cases(std::uint64_t usual);

using Point = std::unordered_map<Var, std::int64_t>;

/// The point says nothing here: a division by zero, or int64 arithmetic beyond 64 bits, which the law of
/// index arithmetic excludes.
struct Undefined : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What int64 arithmetic does beyond 64 bits.
enum class Overflow { undefined, wraps };

/// The value of lane `lane` of e; bool is 0 or 1. Loads give a number that depends on the buffer's name and
/// the indices.
std::int64_t evaluate(const Expr& e, const Point& point, int lane = 0,
                      Overflow overflow = Overflow::undefined);

/// Modulo 2^bits, as the type reads it.
std::int64_t wrapped(__int128 value, DataType type);

/// The variables of a random expression, with the facts that hold for them.
struct World {
  std::vector<Var> variables;
  arith::Analyzer facts;
  std::vector<std::pair<Var, std::function<std::int64_t(Random&, const Point&)>>> draws;  ///< in order

  Point draw(Random& random) const;
};

/// Loop variables with constant ranges (unit and prime extents among them), loops with symbolic extents,
/// positive parameters, and variables about which nothing is known.
World random_world(Random& random, DataType type);

struct Shape {
  int depth = 4;
  int lanes = 1;
  bool loads = true;
};
Expr random_integer(Random& random, const World& world, DataType type, Shape shape);
Expr random_condition(Random& random, const World& world, DataType type, Shape shape);

}  // namespace ardea::arith_tests
