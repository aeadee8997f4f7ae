#include "ardea/rules/gpu/wmma_tiles.h"

#include <algorithm>

#include "ardea/support/ceil_div.h"

namespace ardea::rules {

namespace {

/// That the model considers, of warps, of fragments and of instructions along a panel's depth.
constexpr std::int64_t most_by_model = 4;

/// What a multiprocessor multiplies in the time in which it brings a byte of shared memory to registers, and
/// of the device's to shared memory; panels' worth of work that a block takes to begin and end. Guesses of
/// the order of magnitude, by which tiles are put in order.
constexpr double products_per_shared_byte = 16, products_per_device_byte = 64, panels_around = 4;

/// In units of products of one multiprocessor; negative where it does not fit.
double time_of(const WmmaTiles& tiles, const WmmaUnit& unit, const WmmaWork& work,
               const target::Target& target) {
  const BlockTile tile{.warps = tiles.m.warps * tiles.n.warps,
                       .rows = tiles.m.instructions() * unit.rows,
                       .columns = tiles.n.instructions() * unit.columns,
                       .depth = tiles.between_k * tiles.frags_k * unit.depth};
  constexpr std::int64_t of_fragment = 8, of_others = 40;  // registers
  const std::int64_t bytes = work.factors.bytes(), row = MmaUnit::row_bytes / bytes;
  const BlockLoad load{
      .warps = tile.warps,
      // Results pass through the same memory afterwards.
      .shared_bytes = std::max((tile.rows + tile.columns) * (tile.depth + row) * bytes,
                               tile.rows * (tile.columns + row) * work.sums.bytes()),
      .registers_of_thread =
          of_fragment * (tiles.m.frags * tiles.n.frags + tiles.m.frags + tiles.n.frags) + of_others};
  if (!load.fits(*target.gpu)) return -1;
  const std::int64_t of_warp = tiles.m.frags * unit.rows + tiles.n.frags * unit.columns;
  const double products = static_cast<double>(tile.rows * tile.columns * tile.depth),
               from_shared =
                   static_cast<double>(of_warp * tile.warps * tile.depth * bytes) * products_per_shared_byte,
               from_device = static_cast<double>((tile.rows + tile.columns) * tile.depth * bytes) *
                             products_per_device_byte;
  const double panels = static_cast<double>(ceil_div(work.sizes.k, tile.depth)) + panels_around;
  // Nothing is under way while a panel is multiplied.
  const double one = panels * (from_device + std::max(products, from_shared));
  return time_of_blocks(count_of_tiles(work.sizes, work.batches, tile), one, load, target);
}

}  // namespace

std::vector<std::int64_t> wmma_factors(std::int64_t size, std::int64_t unit) {
  constexpr std::int64_t most = 32;
  return doublings(size, unit, most);
}

std::vector<std::int64_t> row_paddings(DataType type) {
  std::vector<std::int64_t> all;
  for (const std::int64_t rows : {0, 1, 2, 3, 4, 6}) all.push_back(rows * MmaUnit::row_bytes / type.bytes());
  return all;
}

WmmaTiles wmma_tiles_for(const WmmaWork& work, const std::vector<WmmaUnit>& units,
                         const target::Target& target) {
  const ProductSizes& sizes = work.sizes;
  WmmaTiles best;
  double least = -1;
  for (std::size_t unit = 0; unit < units.size(); ++unit)
    for (const std::int64_t warps_m : wmma_factors(sizes.m, units[unit].rows))
      for (const std::int64_t warps_n : wmma_factors(sizes.n, units[unit].columns))
        for (const std::int64_t frags_m : wmma_factors(sizes.m, units[unit].rows * warps_m))
          for (const std::int64_t frags_n : wmma_factors(sizes.n, units[unit].columns * warps_n))
            for (const std::int64_t depth : wmma_factors(sizes.k, units[unit].depth)) {
              if (std::max({warps_m, warps_n, frags_m, frags_n, depth}) > most_by_model) continue;
              WmmaTiles tiles;
              tiles.unit = unit, tiles.between_k = depth;
              tiles.m.warps = warps_m, tiles.m.frags = frags_m;
              tiles.n.warps = warps_n, tiles.n.frags = frags_n;
              const double time = time_of(tiles, units[unit], work, target);
              if (time >= 0 && (least < 0 || time < least)) best = tiles, least = time;
            }
  return best;
}

}  // namespace ardea::rules
