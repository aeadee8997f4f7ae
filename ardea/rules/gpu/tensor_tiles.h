#pragma once

#include "ardea/rules/gpu/mma_unit.h"
#include "ardea/rules/model/product_sizes.h"

/// Numbers for products on a GPU's tensor instructions, from sizes and the target record.

namespace ardea::rules {

/// A product, and how many elements of its factors are copied at once.
struct TensorWork {
  ProductSizes sizes;
  std::int64_t batches = 1;
  DataType factors = float16;
  std::int64_t lanes_a = 1, lanes_b = 1;
  bool has_rows_of_n = false;  ///< B lies so
  std::int64_t run_b = 32;     ///< columns of B that threads side by side copy of one of its rows
  /// What lies side by side in memory are different rows, so that threads side by side copy of as many.
  bool is_a_along_rows = false, is_b_along_rows = false;

  /// The same of rows as long as a panel is deep.
  std::int64_t run_of_depth(std::int64_t depth, std::int64_t lanes, bool is_along_rows) const;
};

/// A warp copies so many columns of a row, of which a thread moves `lanes` at once.
std::int64_t run_of_columns(const ProductSizes& sizes, std::int64_t lanes);

struct TensorTiles {
  std::int64_t warps_m = 1, warps_n = 1;  ///< of a block
  std::int64_t frags_m = 1, pairs_n = 1;  ///< of a warp: rows of fragments, pairs of columns of them
  std::int64_t steps = 2;                 ///< of an instruction's depth in a panel
  std::int64_t ahead = 2;                 ///< panels under way

  std::int64_t warps() const { return warps_m * warps_n; }
  /// Of a block.
  std::int64_t rows() const { return warps_m * frags_m * MmaUnit::rows; }
  std::int64_t columns() const { return warps_n * pairs_n * MmaUnit::columns_loaded; }
};

/// What the model chooses.
TensorTiles tensor_tiles_for(const TensorWork& work, const MmaUnit& unit, const target::Target& target);

/// What knobs may be: powers of two, none of which makes a tile longer than all there is.
struct TensorTileSizes {
  std::vector<std::int64_t> warps_m, warps_n, frags_m, pairs_n;
};
TensorTileSizes tensor_tile_sizes(const ProductSizes& sizes, const MmaUnit& unit);

/// All of them that are no longer than all there is: in a panel of two steps, of which two are under way.
std::vector<TensorTiles> all_tensor_tiles(const ProductSizes& sizes, const MmaUnit& unit);

/// Steps that a panel may have.
std::vector<std::int64_t> tensor_steps(const ProductSizes& sizes, const MmaUnit& unit);

}  // namespace ardea::rules
