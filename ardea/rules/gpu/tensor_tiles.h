#pragma once

#include <initializer_list>

#include "ardea/rules/gpu/block_tile.h"
#include "ardea/rules/gpu/mma_unit.h"
#include "ardea/rules/gpu/panel_copy.h"
#include "ardea/rules/model/product_sizes.h"

/// Numbers for products on a GPU's tensor instructions, from sizes and the target record.

namespace ardea::rules {

/// A product, and how its factors come to shared memory.
struct TensorWork {
  ProductSizes sizes;
  std::int64_t batches = 1;
  DataType factors = float16;
  PanelCopy a = {}, b = {};  ///< with runs of the deepest panels
  bool has_windows = false;  ///< rows of the left factor are windows that overlap
};

struct TensorTiles {
  std::int64_t warps_m = 1, warps_n = 1;  ///< of a block
  std::int64_t frags_m = 1, pairs_n = 1;  ///< of a warp: rows of fragments, pairs of columns of them
  std::int64_t steps = 2;                 ///< of an instruction's depth in a panel
  std::int64_t ahead = 2;                 ///< panels under way

  BlockTile block(const MmaUnit& unit) const;
};

/// Registers that a thread takes: the sums, fragments of both factors for a step and the next, what it knows
/// of the rows that it copies, and some for all else.
template <class Count>
Count registers_of_thread(const Count& frags_m, const Count& pairs_n, const Count& kept) {
  constexpr std::int64_t others = 38;
  return frags_m * pairs_n * 8 + (frags_m + pairs_n) * 8 + kept + others;
}

/// Of so many numbers that a thread knows of rows another one is kept, at most. Set by what ptxas makes of
/// samples for sm_90a: of 44 programs of 4 × 4 fragments a warp whose threads know less than 20 numbers none
/// spilled, of 28 whose threads know 20 to 25 seven did, one to four registers each.
inline constexpr std::int64_t known_for_another = 3;

/// Registers that a thread must be able to have where a panel is more than two steps, whatever it copies: the
/// assembler asks for fragments of a third step while it has two. Of 26 programs of four steps with 2 × 8
/// fragments a warp eight spilled some 50 registers, of 32 with 4 × 4 that know less than 24 numbers, and
/// take all 255 by this count, none did.
template <class Count>
Count registers_of_long_panels(const Count& frags_m, const Count& pairs_n) {
  constexpr std::int64_t others = 31;
  return frags_m * pairs_n * 8 + (frags_m + pairs_n) * 12 + others;
}

/// Loops of fewer accesses are written out by nvcc, so that what each needs is kept; what longer ones need is
/// computed anew.
constexpr std::int64_t least_left_in_loop = 17;
/// What a thread keeps in registers that copies so often.
std::int64_t kept_numbers(const PanelCopy& copy, std::int64_t accesses);

/// What happens at the same time takes little more than the longest of it.
double together(std::initializer_list<double> times);

/// What the model chooses, and how many cycles that takes; tiles that do not fit take none.
struct ChosenTensorTiles {
  TensorTiles tiles;
  double cycles = -1;
};
ChosenTensorTiles tensor_tiles_for(const TensorWork& work, const MmaUnit& unit, const target::Target& target);

/// What knobs may be: powers of two, none of which makes a tile longer than all there is.
struct TensorTileSizes {
  std::vector<std::int64_t> warps_m, warps_n, frags_m, pairs_n;
};
TensorTileSizes tensor_tile_sizes(const ProductSizes& sizes, const MmaUnit& unit);

/// All of them that are no longer than all there is: in a panel of two steps, of which two are under way.
std::vector<TensorTiles> all_tensor_tiles(const ProductSizes& sizes, const MmaUnit& unit);

/// Steps that a panel may have.
std::vector<std::int64_t> tensor_steps(const ProductSizes& sizes, const MmaUnit& unit);

/// How many panels of that depth may be under way while one is multiplied: no more than there are others.
std::vector<std::int64_t> panels_under_way(const ProductSizes& sizes, std::int64_t depth);

}  // namespace ardea::rules
