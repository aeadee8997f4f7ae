#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "ardea/search/strategy.h"
#include "ardea/support/random.h"

/// Spaces, costs and models for the tests of strategies.

namespace ardea::search::testing {

/// Sketches with their solvers.
struct Space {
  std::vector<std::unique_ptr<space::Solver>> solvers;

  void add(space::System system, space::SolverOptions options = {}) {
    solvers.push_back(std::make_unique<space::Solver>(std::move(system), options));
  }
  std::vector<const space::Solver*> sketches() const;
  /// All points, by trying every tuple of knobs.
  std::vector<space::Choice> all() const;
};

/// So small a limit that every tree meets it.
space::SolverOptions by_walks(int threads = 1);

/// One to three random systems, each with a solution, of at most `most` points together. `is_by_walks`:
/// without trees. (What random systems cannot be is said at tests/space/random_system.h.)
Space random_space(Random& random, bool is_by_walks, std::size_t most = 400);

/// A product's tiling, in three sketches: splits of `extent` in three parts each, a vector's length, an
/// unrolling. Some hundred thousand points.
Space tiling_space(std::int64_t extent = 256);
/// Its cost in seconds: best near a tile that fills a cache and registers, where vectors are long; sketches
/// differ by a factor, and what fits is a cliff.
double tiling_seconds(const space::System& system, const space::Choice& choice);
/// The least of all points.
double least_seconds(const Space& space);

/// Knows the true cost of everything up to a noise of this deviation, and says nothing before it was told of
/// so many points.
std::unique_ptr<cost::Model> knowing_model(std::function<double(const space::Choice&)> seconds, double noise,
                                           std::size_t least_known, const Space& space);

cost::Known timed(space::Choice choice, double seconds);

}  // namespace ardea::search::testing
