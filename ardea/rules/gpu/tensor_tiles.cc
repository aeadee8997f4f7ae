#include "ardea/rules/gpu/tensor_tiles.h"

#include <algorithm>

#include "ardea/support/ceil_div.h"

namespace ardea::rules {

namespace {

/// 1, 2, 4 … as often as `unit` is in `size`, none above `most`.
std::vector<std::int64_t> powers(std::int64_t size, std::int64_t unit, std::int64_t most) {
  std::vector<std::int64_t> all = {1};
  while (all.back() * 2 * unit <= size && all.back() * 2 <= most) all.push_back(all.back() * 2);
  return all;
}

constexpr std::int64_t most_warps = 8, most_frags = 8;

/// What a multiprocessor multiplies in the time in which it brings a byte of shared memory to registers, and
/// of the device's to shared memory: guesses of the order of magnitude, by which tiles are put in order.
/// Tuning on an H200 found tiles that are 1.0 to 1.25 times as fast.
constexpr double products_per_shared_byte = 16, products_per_byte = 64;
/// Panels' worth of work that a block takes to begin and end.
constexpr double panels_around = 4;

/// In units of products of one multiprocessor.
double cost_of(const TensorTiles& t, const TensorWork& work, const MmaUnit& unit,
               const target::Target& target) {
  const ProductSizes& sizes = work.sizes;
  const std::int64_t rows = t.rows(), columns = t.columns(), depth = t.steps * unit.depth, warps = t.warps();
  const target::Gpu& gpu = *target.gpu;
  // A pipeline that is never full has no steady state, in which copies are under way.
  if (t.ahead > 1 && ceil_div(sizes.k, depth) <= t.ahead + 1) return -1;
  const std::int64_t bytes = work.factors.bytes();
  const std::int64_t row = unit.row_bytes / bytes;  // that keeps rows in different banks
  const std::int64_t shared = (t.ahead + 2) * (rows * (depth + row) + depth * (columns + row)) * bytes;
  const std::int64_t registers = 4 * t.frags_m * 2 * t.pairs_n + 2 * (4 * t.frags_m + 4 * t.pairs_n) + 40;
  // Threads share the copies evenly.
  const auto divides = [&](std::int64_t copied, std::int64_t row, std::int64_t run, std::int64_t lanes) {
    return copied % (warps * gpu.warp_threads * lanes / run) == 0 && row % run == 0;
  };
  const std::int64_t run_a = work.run_of_depth(depth, work.lanes_a, work.is_a_along_rows),
                     run_b = work.run_of_depth(depth, work.lanes_b, work.is_b_along_rows);
  if (!divides(rows, depth, run_a, work.lanes_a)) return -1;
  if (work.has_rows_of_n ? !divides(columns, depth, run_b, work.lanes_b)
                         : !divides(depth, columns, work.run_b, work.lanes_b))
    return -1;
  if (shared > gpu.shared_bytes_per_block || registers > gpu.registers_per_thread ||
      registers * warps * gpu.warp_threads > gpu.registers_per_block)
    return -1;
  const std::int64_t held = std::max<std::int64_t>(
      1, std::min({gpu.shared_bytes_per_core / shared, gpu.threads_per_core / (warps * gpu.warp_threads),
                   gpu.registers_per_core / (registers * warps * gpu.warp_threads)}));
  const std::int64_t blocks = work.batches * ceil_div(sizes.m, rows) * ceil_div(sizes.n, columns);
  const double panels = static_cast<double>(ceil_div(sizes.k, depth)) + panels_around;
  // Of one panel of one block: whichever of products, shared memory and the device's takes longest, slower
  // where a multiprocessor holds too few warps to hide what each waits for.
  const double per_warp = static_cast<double>(t.frags_m * unit.rows + t.pairs_n * unit.columns_loaded);
  const double products = static_cast<double>(rows * columns * depth);
  const double from_shared = per_warp * static_cast<double>(warps * depth * bytes) * products_per_shared_byte;
  const double from_device = static_cast<double>((rows + columns) * depth * bytes) * products_per_byte;
  const double longest = std::max({products, from_shared, from_device});
  const std::int64_t waves = ceil_div(blocks, held * target.cores);
  const std::int64_t side_by_side = std::min(held, ceil_div(blocks, target.cores));
  const double hidden = std::min(1.0, static_cast<double>(warps * side_by_side) / 8);
  // The more panels are under way, the less of what they take to arrive is waited for.
  const double waiting = 1 + 0.5 / static_cast<double>(t.ahead);
  return static_cast<double>(waves * side_by_side) * panels * longest * waiting / (0.7 + 0.3 * hidden);
}

}  // namespace

TensorTileSizes tensor_tile_sizes(const ProductSizes& sizes, const MmaUnit& unit) {
  return {powers(sizes.m, unit.rows, most_warps), powers(sizes.n, unit.columns_loaded, most_warps),
          powers(sizes.m, unit.rows, most_frags), powers(sizes.n, unit.columns_loaded, most_frags)};
}

std::vector<TensorTiles> all_tensor_tiles(const ProductSizes& sizes, const MmaUnit& unit) {
  const TensorTileSizes values = tensor_tile_sizes(sizes, unit);
  std::vector<TensorTiles> all;
  for (const std::int64_t warps_m : values.warps_m)
    for (const std::int64_t frags_m : values.frags_m)
      for (const std::int64_t warps_n : values.warps_n)
        for (const std::int64_t pairs_n : values.pairs_n) {
          const TensorTiles tiles{warps_m, warps_n, frags_m, pairs_n};
          if (tiles.rows() <= std::max(sizes.m, unit.rows) &&
              tiles.columns() <= std::max(sizes.n, unit.columns_loaded))
            all.push_back(tiles);
        }
  return all;
}

std::int64_t TensorWork::run_of_depth(std::int64_t depth, std::int64_t lanes, bool is_along_rows) const {
  constexpr std::int64_t lanes_of_warp = 32, rows_side_by_side = 16;
  return std::min(depth, lanes_of_warp / (is_along_rows ? rows_side_by_side : 1) * lanes);
}

std::int64_t run_of_columns(const ProductSizes& sizes, std::int64_t lanes) {
  constexpr std::int64_t lanes_of_warp = 32, line = 64;
  std::int64_t run = std::min(line, lanes_of_warp * lanes);
  while (run > MmaUnit::columns_loaded && run > sizes.n) run /= 2;
  return run;
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
