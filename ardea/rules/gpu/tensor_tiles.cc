#include "ardea/rules/gpu/tensor_tiles.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>

#include "ardea/support/ceil_div.h"

namespace ardea::rules {

namespace {

constexpr std::int64_t most_warps = 8, most_frags = 8, most_under_way = 4;

/// Cycles and bytes of one multiprocessor, fitted to 439 programs of six products and convolutions that were
/// timed on an H200: what the model says of one is wrong by a tenth or so. Other GPUs are taken for alike.
namespace fitted {
constexpr double cycles_of_instruction = 1.9;  ///< of all warps together
constexpr double cycles_in_warp = 4.8;         ///< from one of a warp's instructions to the next
constexpr double shared_bytes = 127;           ///< in a cycle, read or written
constexpr double device_bytes = 27;            ///< in a cycle, mostly from the second cache
constexpr double cycles_to_arrive = 1000;      ///< from asking for a panel to having it
constexpr double cycles_of_result = 0.27;
constexpr double cycles_around = 600;  ///< for a block to begin and end
}  // namespace fitted

/// What happens at the same time takes little more than the longest of it.
double together(std::initializer_list<double> times) {
  double sum = 0;
  for (const double time : times) sum += std::pow(time, 4);
  return std::pow(sum, 0.25);
}

/// In cycles of one multiprocessor; negative where it cannot be.
double cost_of(const TensorTiles& t, const TensorWork& work, const MmaUnit& unit,
               const target::Target& target) {
  const ProductSizes& sizes = work.sizes;
  const BlockTile tile = t.block(unit);
  const std::int64_t rows = tile.rows, columns = tile.columns, depth = tile.depth;
  const target::Gpu& gpu = *target.gpu;
  // A pipeline that is full for one iteration at most has no steady state, in which copies are under way.
  if (t.ahead > 1 && ceil_div(sizes.k, depth) <= t.ahead + 2) return -1;
  if (!work.a.is_shared_evenly(rows, depth, tile.warps, gpu.warp_threads) ||
      !work.b.is_shared_evenly(columns, depth, tile.warps, gpu.warp_threads))
    return -1;
  const std::int64_t bytes = work.factors.bytes();
  const std::int64_t row = unit.row_bytes / bytes;  // that keeps rows in different banks
  // A product of few panels keeps fewer, which the fit did not know.
  const std::int64_t panels_kept = (t.ahead + 2) * (rows * (depth + row) + depth * (columns + row)) * bytes;
  // Results pass through the same memory afterwards, sixteen rows of each warp at a time.
  const std::int64_t staged = t.warps_m * MmaUnit::rows * (columns + 8) * unit.sums.bytes();
  const BlockLoad load{
      .warps = tile.warps,
      .shared_bytes = std::max(panels_kept, staged),
      .registers_of_thread = 4 * t.frags_m * 2 * t.pairs_n + 2 * (4 * t.frags_m + 4 * t.pairs_n) + 40};
  if (!load.fits(gpu)) return -1;
  const std::int64_t blocks = count_of_tiles(sizes, work.batches, tile);
  const std::int64_t side_by_side = std::min(load.held_by(gpu), ceil_div(blocks, target.cores));
  const std::int64_t waves = ceil_div(blocks, side_by_side * target.cores);
  // Of one panel of one block.
  const auto as_double = [](std::int64_t count) { return static_cast<double>(count); };
  const std::int64_t of_warp = t.frags_m * 2 * t.pairs_n * t.steps;
  const std::int64_t copied = (rows + columns) * depth * bytes;
  const std::int64_t read = (t.frags_m * MmaUnit::rows + t.pairs_n * MmaUnit::columns_loaded) * depth * bytes;
  const double multiplying = as_double(tile.warps * of_warp) * fitted::cycles_of_instruction;
  const double shared_memory = as_double(tile.warps * read + copied) / fitted::shared_bytes;
  const double device_memory = as_double(copied) / fitted::device_bytes;
  // All blocks of a multiprocessor share it; and no panel is done before its warps and its copies are.
  const double shared_among_blocks =
      as_double(side_by_side) * together({multiplying, shared_memory, device_memory});
  const double waited_for =
      as_double(of_warp) * fitted::cycles_in_warp + fitted::cycles_to_arrive / as_double(t.ahead);
  const double panels = as_double(ceil_div(sizes.k, depth)) * together({shared_among_blocks, waited_for});
  const double results = as_double(side_by_side * rows * columns) * fitted::cycles_of_result;
  return as_double(waves) * (panels + results + fitted::cycles_around);
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

std::vector<std::int64_t> panels_under_way(std::int64_t k, std::int64_t depth) {
  const std::int64_t most = std::clamp<std::int64_t>(ceil_div(k, depth) - 1, 1, most_under_way);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(most));
  std::iota(counts.begin(), counts.end(), 1);
  return counts;
}

TensorTiles tensor_tiles_for(const TensorWork& work, const MmaUnit& unit, const target::Target& target) {
  const ProductSizes& sizes = work.sizes;
  TensorTiles best;
  double least = -1;
  for (const std::int64_t steps : tensor_steps(sizes, unit))
    for (const std::int64_t ahead : panels_under_way(sizes.k, steps * unit.depth))
      for (TensorTiles tiles : all_tensor_tiles(sizes, unit)) {
        tiles.steps = steps, tiles.ahead = ahead;
        const double cost = cost_of(tiles, work, unit, target);
        if (cost >= 0 && (least < 0 || cost < least)) best = tiles, least = cost;
      }
  return best;
}

}  // namespace ardea::rules
