#include "ardea/rules/gpu/tensor_tiles.h"

#include <algorithm>

#include "ardea/support/ceil_div.h"

namespace ardea::rules {

namespace {

constexpr std::int64_t most_warps = 8, most_frags = 8;

/// What a multiprocessor multiplies in the time in which it brings a byte of shared memory to registers, and
/// of the device's to shared memory: guesses of the order of magnitude, by which tiles are put in order.
/// Tuning on an H200 found tiles that are 1.0 to 1.25 times as fast.
constexpr double products_per_shared_byte = 16, products_per_byte = 64;
/// Panels' worth of work that a block takes to begin and end.
constexpr double panels_around = 4;

/// In units of products of one multiprocessor; negative where it cannot be.
double cost_of(const TensorTiles& t, const TensorWork& work, const MmaUnit& unit,
               const target::Target& target) {
  const ProductSizes& sizes = work.sizes;
  const BlockTile tile = t.block(unit);
  const std::int64_t rows = tile.rows, columns = tile.columns, depth = tile.depth;
  const target::Gpu& gpu = *target.gpu;
  // A pipeline that is never full has no steady state, in which copies are under way.
  if (t.ahead > 1 && ceil_div(sizes.k, depth) <= t.ahead + 1) return -1;
  if (!work.a.is_shared_evenly(rows, depth, tile.warps, gpu.warp_threads) ||
      !work.b.is_shared_evenly(columns, depth, tile.warps, gpu.warp_threads))
    return -1;
  const std::int64_t bytes = work.factors.bytes();
  const std::int64_t row = unit.row_bytes / bytes;  // that keeps rows in different banks
  const BlockLoad load{
      .warps = tile.warps,
      .shared_bytes = (t.ahead + 2) * (rows * (depth + row) + depth * (columns + row)) * bytes,
      .registers_of_thread = 4 * t.frags_m * 2 * t.pairs_n + 2 * (4 * t.frags_m + 4 * t.pairs_n) + 40};
  if (!load.fits(gpu)) return -1;
  const double panels = static_cast<double>(ceil_div(sizes.k, depth)) + panels_around;
  // Of one panel of one block: whichever of products, shared memory and the device's takes longest.
  const double per_warp = static_cast<double>(t.frags_m * unit.rows + t.pairs_n * unit.columns_loaded);
  const double products = static_cast<double>(rows * columns * depth);
  const double from_shared =
      per_warp * static_cast<double>(tile.warps * depth * bytes) * products_per_shared_byte;
  const double from_device = static_cast<double>((rows + columns) * depth * bytes) * products_per_byte;
  // The more panels are under way, the less of what they take to arrive is waited for.
  const double waiting = 1 + 0.5 / static_cast<double>(t.ahead);
  const double one = panels * std::max({products, from_shared, from_device}) * waiting;
  return time_of_blocks(count_of_tiles(sizes, work.batches, tile), one, load, target);
}

}  // namespace

TensorTileSizes tensor_tile_sizes(const ProductSizes& sizes, const MmaUnit& unit) {
  return {doublings(sizes.m, unit.rows, most_warps), doublings(sizes.n, unit.columns_loaded, most_warps),
          doublings(sizes.m, unit.rows, most_frags), doublings(sizes.n, unit.columns_loaded, most_frags)};
}

std::vector<TensorTiles> all_tensor_tiles(const ProductSizes& sizes, const MmaUnit& unit) {
  const TensorTileSizes values = tensor_tile_sizes(sizes, unit);
  std::vector<TensorTiles> all;
  for (const std::int64_t warps_m : values.warps_m)
    for (const std::int64_t frags_m : values.frags_m)
      for (const std::int64_t warps_n : values.warps_n)
        for (const std::int64_t pairs_n : values.pairs_n) {
          const TensorTiles tiles{warps_m, warps_n, frags_m, pairs_n};
          const BlockTile tile = tiles.block(unit);
          if (tile.rows <= std::max(sizes.m, unit.rows) &&
              tile.columns <= std::max(sizes.n, unit.columns_loaded))
            all.push_back(tiles);
        }
  return all;
}

BlockTile TensorTiles::block(const MmaUnit& unit) const {
  return {.warps = warps_m * warps_n,
          .rows = warps_m * frags_m * unit.rows,
          .columns = warps_n * pairs_n * unit.columns_loaded,
          .depth = steps * unit.depth};
}

std::vector<std::int64_t> tensor_steps(const ProductSizes& sizes, const MmaUnit& unit) {
  return sizes.k > 2 * unit.depth ? std::vector<std::int64_t>{2, 4} : std::vector<std::int64_t>{2};
}

TensorTiles tensor_tiles_for(const TensorWork& work, const MmaUnit& unit, const target::Target& target) {
  const ProductSizes& sizes = work.sizes;
  TensorTiles best;
  double least = -1;
  for (const std::int64_t steps : tensor_steps(sizes, unit))
    for (const std::int64_t ahead : {1, 2, 3, 4})
      for (TensorTiles tiles : all_tensor_tiles(sizes, unit)) {
        tiles.steps = steps, tiles.ahead = ahead;
        const double cost = cost_of(tiles, work, unit, target);
        if (cost >= 0 && (least < 0 || cost < least)) best = tiles, least = cost;
      }
  return best;
}

}  // namespace ardea::rules
