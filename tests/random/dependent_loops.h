#pragma once

#include "ardea/support/random.h"
#include "tests/random/instances.h"

namespace ardea::random_programs {

struct LoopBounds {
  IndexExpression min, extent;
};

/// Two to four loops, one in the other, whose bounds may depend on those around, and which run two iterations
/// to three hundred in all.
struct DependentLoops {
  std::vector<LoopBounds> bounds;  ///< from the outermost on
  Instances instances;
  /// The innermost one's ranges look like tiles, and are none where they differ in length, or lie askew.
  bool has_uneven_tiles = false;
  /// The inner ones run ever fewer iterations, and in the end none.
  bool has_short_rows = false;
};

DependentLoops dependent_loops(Random& random);

/// One of the first `depth` loops, or iterators.
IndexExpression any_loop(Random& random, std::size_t depth);

}  // namespace ardea::random_programs
