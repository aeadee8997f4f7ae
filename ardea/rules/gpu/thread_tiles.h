#pragma once

#include "ardea/rules/gpu/block_tile.h"
#include "ardea/rules/gpu/panel_copy.h"
#include "ardea/support/ceil_div.h"
#include "ardea/support/data_type.h"

/// Numbers for products that threads make without tensor instructions, from sizes and the target record.

namespace ardea::rules {

/// What a warp multiplies at once: 4 × 8 threads, each a square of as many elements a side as one access
/// brings of a factor. Four and eight neighbours read different parts of a line of shared memory, so that no
/// two of them ask the same bank for different things.
struct ThreadUnit {
  static constexpr std::int64_t lanes_m = 4, lanes_n = 8;

  explicit ThreadUnit(DataType factors);

  std::int64_t side = 4;
  std::int64_t rows() const { return lanes_m * side; }
  std::int64_t columns() const { return lanes_n * side; }
};

/// Steps that are written out one after the other: enough of them that what one reads is there when its turn
/// comes, and few enough that caches of instructions hold them. Panels are whole rounds of them.
inline constexpr std::int64_t round_steps = 8;

/// A product, and how its factors come to shared memory.
struct ThreadWork {
  ProductSizes sizes;
  std::int64_t batches = 1;
  DataType factors = float32, sums = float32;
  PanelCopy a = {}, b = {};
};

struct ThreadTiles {
  std::int64_t warps_m = 1, warps_n = 1;      ///< of a block
  std::int64_t squares_m = 1, squares_n = 1;  ///< of a thread
  std::int64_t rounds = 1;                    ///< of steps in a panel
  std::int64_t ahead = 1;                     ///< panels under way

  BlockTile block(const ThreadUnit& unit) const;
};

/// Registers that a thread must be able to have for so many rows and columns of sums: these, what it reads of
/// both factors for a step and the next, and some for all else, more where it asks what there is to copy. Set
/// by what ptxas makes of samples for sm_90a. Of blocks of 512 threads, which may have 128 registers each,
/// four of five that ask spilled with 16 × 4 sums, and none of three with 8 × 8, which are 128 by this count;
/// of those that do not ask none of nine with 16 × 4 or 4 × 16, which are. Both of 1024 with 8 × 4 spilled.
template <class Count>
Count registers_of_sums(const Count& rows, const Count& columns, DataType factors, DataType sums, bool asks) {
  constexpr std::int64_t others = 24, of_questions = 8, register_bytes = 4;
  return rows * columns * ceil_div(sums.bytes(), register_bytes) +
         (rows + columns) * (2 * ceil_div(factors.bytes(), register_bytes)) + others +
         (asks ? of_questions : 0);
}

/// What the model chooses.
ThreadTiles thread_tiles_for(const ThreadWork& work, const target::Target& target);

/// What knobs may be: powers of two, none of which makes a tile longer than all there is.
struct ThreadTileSizes {
  std::vector<std::int64_t> warps_m, warps_n, squares_m, squares_n, rounds;
};
ThreadTileSizes thread_tile_sizes(const ProductSizes& sizes, const ThreadUnit& unit);

/// All of them that are no longer than all there is, with one panel under way.
std::vector<ThreadTiles> all_thread_tiles(const ProductSizes& sizes, const ThreadUnit& unit);

/// Panels that may be under way: where nothing copies beside the threads, one is as good as several.
std::vector<std::int64_t> thread_panels_ahead(const target::Target& target);

}  // namespace ardea::rules
