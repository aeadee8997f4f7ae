#pragma once

#include <cstdint>
#include <vector>

#include "ardea/rules/model/product_sizes.h"
#include "ardea/target/target.h"

/// What a block makes of a product, and how long all blocks take: parts that models of tiles are made of.

namespace ardea::rules {

/// For what is measured by numbers that are no integers.
inline double as_double(std::int64_t count) { return static_cast<double>(count); }

/// At one choice of the numbers.
struct BlockTile {
  std::int64_t warps = 1;
  std::int64_t rows = 1, columns = 1, depth = 1;  ///< depth: of the panels of both factors
};

/// Tiles are at least 16 × 16; one of which more is padding than not is quicker elsewhere.
bool is_worth_tiles(const ProductSizes& sizes);

/// What a block takes of a multiprocessor.
struct BlockLoad {
  std::int64_t warps = 1, shared_bytes = 0, registers_of_thread = 0;

  bool fits(const target::Gpu& gpu) const;
  /// How many such blocks a multiprocessor holds at a time; at least one.
  std::int64_t held_by(const target::Gpu& gpu) const;
};

/// Of so many blocks, each as long as `one` where it is alone: they run in waves, and wait where a
/// multiprocessor holds too few warps to hide what each of them waits for.
double time_of_blocks(std::int64_t blocks, double one, const BlockLoad& load, const target::Target& target);

/// Tiles that a product of so many batches has.
std::int64_t count_of_tiles(const ProductSizes& sizes, std::int64_t batches, const BlockTile& tile);

/// 1, 2, 4 … as often as `unit` is in `size`, none above `most`.
std::vector<std::int64_t> doublings(std::int64_t size, std::int64_t unit, std::int64_t most);

}  // namespace ardea::rules
