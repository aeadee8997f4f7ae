#include "ardea/rules/gpu/block_tile.h"

#include <algorithm>

#include "ardea/support/ceil_div.h"

namespace ardea::rules {

namespace {

/// Warps with which a multiprocessor seldom waits, and how much of the time it waits for one alone: guesses.
constexpr double busy_warps = 8, waiting_alone = 0.3;

}  // namespace

bool is_worth_tiles(const ProductSizes& sizes) {
  constexpr std::int64_t least = 16;
  return sizes.m >= least && sizes.n >= least;
}

bool BlockLoad::fits(const target::Gpu& gpu) const {
  return shared_bytes <= gpu.shared_bytes_per_block && registers_of_thread <= gpu.registers_per_thread &&
         warps * gpu.warp_threads <= gpu.threads_per_block &&
         registers_of_thread * warps * gpu.warp_threads <= gpu.registers_per_block;
}

std::int64_t BlockLoad::held_by(const target::Gpu& gpu) const {
  const std::int64_t threads = warps * gpu.warp_threads;
  return std::max<std::int64_t>(
      1, std::min({gpu.shared_bytes_per_core / shared_bytes, gpu.threads_per_core / threads,
                   gpu.registers_per_core / (registers_of_thread * threads)}));
}

double time_of_blocks(std::int64_t blocks, double one, const BlockLoad& load, const target::Target& target) {
  const std::int64_t held = load.held_by(*target.gpu);
  const std::int64_t waves = ceil_div(blocks, held * target.cores);
  const std::int64_t side_by_side = std::min(held, ceil_div(blocks, target.cores));
  const double hidden = std::min(1.0, static_cast<double>(load.warps * side_by_side) / busy_warps);
  return static_cast<double>(waves * side_by_side) * one / (1 - waiting_alone + waiting_alone * hidden);
}

std::int64_t count_of_tiles(const ProductSizes& sizes, std::int64_t batches, const BlockTile& tile) {
  return batches * ceil_div(sizes.m, tile.rows) * ceil_div(sizes.n, tile.columns);
}

std::vector<std::int64_t> doublings(std::int64_t size, std::int64_t unit, std::int64_t most) {
  std::vector<std::int64_t> all = {1};
  while (all.back() * 2 * unit <= size && all.back() * 2 <= most) all.push_back(all.back() * 2);
  return all;
}

}  // namespace ardea::rules
