#pragma once

#include <cstdint>

#include "ardea/recipes/product_sizes.h"
#include "ardea/support/data_type.h"
#include "ardea/target/target.h"

/// How large the parts of a product should be: m × n sums of k products each.

namespace ardea::recipes {

/// The part that registers hold: rows × vectors sums, updated by one column of the left operand, an element
/// at a time, and one row of the right one, in vectors.
struct Tile {
  std::int64_t rows = 1, vectors = 1, lanes = 1;
  std::int64_t columns() const { return vectors * lanes; }
};

/// The tile whose copies, smaller ones at the edges included, take the fewest cycles for all sums, by a count
/// of multiplications, loads, and of the latency that too few sums cannot hide.
Tile choose_tile(const ProductSizes& sizes, DataType type, const target::Target& target);

/// Steps of the sum, rows and columns of one block, such that what is used again is still in a cache: one
/// panel of the right operand (steps × the tile's columns) and of the left (the tile's rows × steps) in the
/// first, or on their way from the second, which holds a block of each operand (rows × steps, steps ×
/// columns). Rows and columns are multiples of the tile's, except where a block is all there is.
struct Blocks {
  std::int64_t steps = 1, rows = 1, columns = 1;
};
Blocks choose_blocks(const ProductSizes& sizes, const Tile& tile, DataType type,
                     const target::Target& target);

}  // namespace ardea::recipes
