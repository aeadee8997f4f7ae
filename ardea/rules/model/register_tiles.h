#pragma once

#include <cstdint>

#include "ardea/target/target.h"

/// Which tile of float32 sums in registers suits a matrix of results, when what is left over at its edges is
/// computed by smaller tiles.

namespace ardea::rules {

/// rows × vectors sums. A step loads `vectors` vectors and `rows` numbers that are broadcast.
struct SumTile {
  std::int64_t rows = 1, vectors = 1;
  double cost = 0;  ///< of all results, in products of vectors that the machine starts in that time, a step
};

/// What rows of a tile multiply. Where the vectors of one are those of another `period` rows on, a tile of
/// whole periods loads each once, and so few numbers that several rows share one; any other tile does not
/// know which row has which, and loads all of each.
struct TileOperands {
  std::int64_t period = 1;
  bool are_side_by_side = false;  ///< whether the numbers that rows have are neighbours in memory
};

/// The cheapest tile for rows × columns results whose registers fit the target's. Unlike blocking.h's, which
/// is for operands in packed panels, it counts what loads from where they are cost.
SumTile choose_sum_tile(std::int64_t rows, std::int64_t columns, const target::Target& target,
                        const TileOperands& operands = {});

/// float32 numbers in one vector.
std::int64_t lanes_of(const target::Target& target);

}  // namespace ardea::rules
