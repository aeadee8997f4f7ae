#pragma once

#include "ardea/rules/gpu/block_tile.h"
#include "ardea/rules/gpu/wmma_unit.h"

/// Numbers for products by wmma, from sizes and the target record.

namespace ardea::rules {

/// How a loop of a block's tile is cut: around the copies to shared memory, among warps, around the loads of
/// fragments, and over fragments that are loaded at once.
struct WmmaCut {
  std::int64_t around = 1, warps = 1, between = 1, frags = 1;

  std::int64_t instructions() const { return around * warps * between * frags; }
};

struct WmmaTiles {
  std::size_t unit = 0;  ///< of the shapes there are
  WmmaCut m, n;
  std::int64_t between_k = 1, frags_k = 1;  ///< of a panel
};

struct WmmaWork {
  ProductSizes sizes;
  std::int64_t batches = 1;
  DataType factors = float16, sums = float32;
};

/// What the model chooses.
WmmaTiles wmma_tiles_for(const WmmaWork& work, const std::vector<WmmaUnit>& units,
                         const target::Target& target);

/// What each factor may be: powers of two, none of which alone makes a tile longer than all there is.
std::vector<std::int64_t> wmma_factors(std::int64_t size, std::int64_t unit);

/// Elements that lie between rows in shared memory, so that they begin in different banks: multiples of 16
/// bytes, with Heron's multiples.
std::vector<std::int64_t> row_paddings(DataType type);

}  // namespace ardea::rules
