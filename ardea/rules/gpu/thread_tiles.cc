#include "ardea/rules/gpu/thread_tiles.h"

#include <algorithm>

#include "ardea/support/ceil_div.h"

namespace ardea::rules {

namespace {

constexpr std::int64_t most_warps_a_side = 8, most_squares = 4, most_rounds = 4;

/// What a multiprocessor multiplies in the time in which a warp reads one access of shared memory, in which a
/// byte of the device's memory comes there, and in which a block waits for all its warps: guesses of the
/// order of magnitude, by which tiles are put in order. Nobody has compared them with what tuning finds.
constexpr double products_per_access = 256, products_per_copied_byte = 4, products_per_barrier = 4096;
/// Of what goes on beside whatever takes longest so much is not hidden: a guess.
constexpr double not_hidden = 0.2;
/// Panels' worth of work that a block takes to begin and end.
constexpr double panels_around_a_tile = 2;
/// Of a thread, beside sums and factors: addresses, mostly.
constexpr std::int64_t other_registers = 40;

constexpr int register_bytes = 4;

/// In units of products of one multiprocessor; negative where it cannot be.
double cost_of(const ThreadTiles& t, const ThreadWork& work, const ThreadUnit& unit,
               const target::Target& target) {
  const BlockTile tile = t.block(unit);
  const target::Gpu& gpu = *target.gpu;
  const auto is_shared_evenly = [&](const PanelCopy& copy, std::int64_t width) {
    return copy.is_shared_evenly(width, tile.depth, tile.warps, gpu.warp_threads);
  };
  if (!is_shared_evenly(work.a, tile.rows) || !is_shared_evenly(work.b, tile.columns)) return -1;
  const std::int64_t panels = ceil_div(work.sizes.k, tile.depth);
  if (panels <= t.ahead && t.ahead > 1) return -1;  // never full
  const std::int64_t bytes = work.factors.bytes();
  const std::int64_t m = t.squares_m * unit.side, n = t.squares_n * unit.side;  // of a thread
  const BlockLoad load{
      .warps = tile.warps,
      .shared_bytes = (t.ahead + 1) * tile.depth * (tile.rows + tile.columns + 2 * unit.side) * bytes,
      .registers_of_thread = m * n * ceil_div(work.sums.bytes(), register_bytes) +
                             2 * (m + n) * ceil_div(bytes, register_bytes) + other_registers};
  if (!load.fits(gpu)) return -1;
  // Of one panel of one block: whichever of products, shared memory and the device's takes longest, and some
  // of the others.
  const double products = static_cast<double>(tile.rows * tile.columns * tile.depth);
  const double from_shared =
      static_cast<double>(tile.warps * tile.depth * (t.squares_m + t.squares_n)) * products_per_access;
  const double from_device =
      static_cast<double>((tile.rows + tile.columns) * tile.depth * bytes) * products_per_copied_byte;
  // The more panels are under way, the less of what they take to arrive is waited for.
  const double waiting = 1 + 0.1 / static_cast<double>(t.ahead);
  const double longest = std::max({products, from_shared, from_device});
  const double panel =
      longest + not_hidden * (products + from_shared + from_device - longest) + products_per_barrier;
  const double one = (static_cast<double>(panels) + panels_around_a_tile) * panel * waiting;
  return time_of_blocks(count_of_tiles(work.sizes, work.batches, tile), one, load, target);
}

}  // namespace

ThreadUnit::ThreadUnit(DataType factors) : side(std::min<std::int64_t>(4, 16 / factors.bytes())) {}

BlockTile ThreadTiles::block(const ThreadUnit& unit) const {
  return {.warps = warps_m * warps_n,
          .rows = warps_m * squares_m * unit.rows(),
          .columns = warps_n * squares_n * unit.columns(),
          .depth = rounds * round_steps};
}

ThreadTileSizes thread_tile_sizes(const ProductSizes& sizes, const ThreadUnit& unit) {
  return {doublings(sizes.m, unit.rows(), most_warps_a_side),
          doublings(sizes.n, unit.columns(), most_warps_a_side),
          doublings(sizes.m, unit.rows(), most_squares), doublings(sizes.n, unit.columns(), most_squares),
          doublings(sizes.k, round_steps, most_rounds)};
}

std::vector<ThreadTiles> all_thread_tiles(const ProductSizes& sizes, const ThreadUnit& unit) {
  const ThreadTileSizes values = thread_tile_sizes(sizes, unit);
  std::vector<ThreadTiles> all;
  for (const std::int64_t warps_m : values.warps_m)
    for (const std::int64_t warps_n : values.warps_n)
      for (const std::int64_t squares_m : values.squares_m)
        for (const std::int64_t squares_n : values.squares_n)
          for (const std::int64_t rounds : values.rounds) {
            const ThreadTiles tiles{warps_m, warps_n, squares_m, squares_n, rounds};
            const BlockTile tile = tiles.block(unit);
            if (tile.rows <= std::max(sizes.m, unit.rows()) &&
                tile.columns <= std::max(sizes.n, unit.columns()))
              all.push_back(tiles);
          }
  return all;
}

std::vector<std::int64_t> thread_panels_ahead(const target::Target& target) {
  if (target.gpu->copy_engines.empty()) return {1};
  return {1, 2, 3};
}

ThreadTiles thread_tiles_for(const ThreadWork& work, const target::Target& target) {
  const ThreadUnit unit(work.factors);
  ThreadTiles best;
  double least = -1;
  for (ThreadTiles tiles : all_thread_tiles(work.sizes, unit))
    for (const std::int64_t ahead : thread_panels_ahead(target)) {
      tiles.ahead = ahead;
      const double cost = cost_of(tiles, work, unit, target);
      if (cost >= 0 && (least < 0 || cost < least)) best = tiles, least = cost;
    }
  return best;
}

}  // namespace ardea::rules
