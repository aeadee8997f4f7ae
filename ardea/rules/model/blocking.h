#pragma once

#include <cstdint>

#include "ardea/rules/model/product_sizes.h"
#include "ardea/support/data_type.h"
#include "ardea/target/target.h"

/// How large the parts of a product should be: m × n sums of k products each.

namespace ardea::rules {

/// The part that registers hold: rows × vectors sums, updated by one column of the left operand, an element
/// at a time, and one row of the right one, in vectors.
struct ProductTile {
  std::int64_t rows = 1, vectors = 1, lanes = 1;
  std::int64_t columns() const { return vectors * lanes; }
};

/// Threads that share a product: its tiles of rows are cut into `rows` parts, those of columns into
/// `columns`.
struct ThreadGrid {
  std::int64_t rows = 1, columns = 1;
  bool is_of_blocks() const { return rows > 1 && columns > 1; }
};

/// Where the rows of the right operand are read from.
enum class RightOperand { in_place, in_panels };

/// The tile whose copies, smaller ones at the edges included, take the fewest cycles for all sums, by a count
/// of multiplications, loads, and of the latency that too few sums cannot hide. Of several threads, which
/// share the product by the grid that suits the tile, the busiest one counts.
ProductTile choose_tile(const ProductSizes& sizes, DataType type, const target::Target& target,
                        RightOperand right, int threads = 1, bool may_share_blocks = false);

/// How so many threads share the tiles: evenly, and so that each reads little of what others read, too. Rows
/// alone, columns alone where rows are too few or, where they may, blocks of both.
ThreadGrid choose_grid(const ProductSizes& sizes, const ProductTile& tile, const target::Target& target,
                       RightOperand right, int threads, bool may_share_blocks);

/// Steps of the sum and columns of one block of the right operand, which a cache holds while all rows use it,
/// a tile of them after the other: the panel of those (the tile's rows × steps) stays in the first cache,
/// panels of the block (steps × the tile's columns) stream through it. The columns are a multiple of the
/// tile's, except where a block is all there is.
struct Blocks {
  std::int64_t steps = 1, columns = 1;
};
/// With `whole_sums` a block has all steps.
Blocks choose_blocks(const ProductSizes& sizes, const ProductTile& tile, DataType type, RightOperand right,
                     const target::Target& target, bool whole_sums = false);

/// How many steps ahead a panel must be asked for to arrive from the second cache in time.
std::int64_t steps_ahead(const ProductTile& tile, const target::Target& target);

/// Whether a copy of the right operand in panels, of which each is read again for every tile of rows, costs
/// less than reading its rows where they lie, so many steps of the sum at a time.
RightOperand choose_right(const ProductSizes& sizes, std::int64_t steps, DataType type,
                          const target::Target& target);

/// Where instructions multiply a vector by a lane of another one, a tile loads whole vectors of both
/// operands.
bool multiplies_by_lanes(const target::Target& target);

/// How large such a block should be.
std::int64_t bytes_of_block(RightOperand right, const target::Target& target);

/// What one core has of the second cache; of a common size where the target does not know one.
std::int64_t second_cache_bytes(const target::Target& target);

}  // namespace ardea::rules
