#include "ardea/rules/gpu/tensor_tiles.h"

#include <algorithm>
#include <cmath>

#include "ardea/support/ceil_div.h"

namespace ardea::rules {

namespace {

constexpr std::int64_t most_warps = 8, most_frags = 8;
/// Of a product of so few rows every panel is read once, from memory: it is as fast as much is under way.
constexpr std::int64_t rows_of_stream = 32;

/// Cycles and bytes of one multiprocessor, fitted to 439 programs of six products and convolutions that were
/// timed on an H200: what the model says of one is wrong by a tenth or so. What results take was fitted anew
/// to 310 of thirteen, when they went through shared memory. Other GPUs are taken for alike.
namespace fitted {
constexpr double cycles_of_instruction = 1.9;  ///< of all warps together
constexpr double cycles_in_warp = 4.8;         ///< from one of a warp's instructions to the next
constexpr double shared_bytes = 127;           ///< in a cycle, read or written
constexpr double device_bytes = 27;            ///< in a cycle, mostly from the second cache
constexpr double cycles_to_arrive = 1000;      ///< from asking for a panel to having it
constexpr double cycles_of_result = 0.15;
constexpr double cycles_around = 600;  ///< for a block to begin and end
/// That products took longer than the rest of it says, whatever the tile: of 179 programs of eight products
/// and convolutions, timed beside those that groups of warps multiply. The rest of it stood.
constexpr double cycles_of_launch = 5500;
}  // namespace fitted

/// What tiles of a product cost.
class TileModel {
 public:
  TileModel(const TensorTiles& t, const TensorWork& work, const MmaUnit& unit, const target::Target& target)
      : t_(t), work_(work), target_(target), tile_(t.block(unit)) {
    const std::int64_t row = unit.row_bytes / bytes_;  // that keeps rows in different banks
    const std::int64_t panels =
        (t.ahead + 2) * (tile_.rows * (tile_.depth + row) + tile_.depth * (tile_.columns + row)) * bytes_;
    // Sixteen rows of each warp at a time. They lie where panels lay, but when numbers were fitted they did
    // not; and products of few panels kept as many as others.
    const std::int64_t results = t.warps_m * MmaUnit::rows * (tile_.columns + 8) * unit.sums.bytes();
    const std::int64_t kept = kept_of(work.a, tile_.rows) + kept_of(work.b, tile_.columns);
    load_ = {.warps = tile_.warps,
             .shared_bytes = panels + results,
             .registers_of_thread = registers_of_thread(t.frags_m, t.pairs_n, kept)};
    most_ = load_;
    most_.registers_of_thread = registers_of_thread(t.frags_m, t.pairs_n, kept + kept / known_for_another);
    if (t.steps > 2)
      most_.registers_of_thread =
          std::max(most_.registers_of_thread, registers_of_long_panels(t.frags_m, t.pairs_n));
    blocks_ = count_of_tiles(work.sizes, work.batches, tile_);
    side_by_side_ = std::min(load_.held_by(*target.gpu), ceil_div(blocks_, target.cores));
    instructions_ = t.frags_m * 2 * t.pairs_n * t.steps;
    copied_bytes_ = (tile_.rows + tile_.columns) * tile_.depth * bytes_;
  }

  bool is_possible() const {
    // A pipeline that is full for one iteration at most has no steady state, in which copies are under way.
    if (t_.ahead > 1 && panels() <= t_.ahead + 2) return false;
    const int threads = target_.gpu->warp_threads;
    return work_.a.is_shared_evenly(tile_.rows, tile_.depth, tile_.warps, threads) &&
           work_.b.is_shared_evenly(tile_.columns, tile_.depth, tile_.warps, threads) &&
           most_.fits(*target_.gpu);
  }

  /// Of one multiprocessor.
  double cycles() const {
    const std::int64_t read =
        (t_.frags_m * MmaUnit::rows + t_.pairs_n * MmaUnit::columns_loaded) * tile_.depth * bytes_;
    const double shared_memory = as_double(tile_.warps * read + copied_bytes_) / fitted::shared_bytes;
    const double multiplying = as_double(tile_.warps * instructions_) * fitted::cycles_of_instruction;
    const double device_memory = as_double(copied_bytes_) / fitted::device_bytes;
    // All blocks of a multiprocessor share it; and no panel is done before its warps and its copies are.
    const double shared_among_blocks =
        as_double(side_by_side_) * together({multiplying, shared_memory, device_memory});
    const double waited_for =
        as_double(instructions_) * fitted::cycles_in_warp + fitted::cycles_to_arrive / as_double(t_.ahead);
    const double all_panels = as_double(panels()) * together({shared_among_blocks, waited_for});
    const double results = as_double(side_by_side_ * tile_.rows * tile_.columns) * fitted::cycles_of_result;
    const std::int64_t waves = ceil_div(blocks_, side_by_side_ * target_.cores);
    return as_double(waves) * (all_panels + results + fitted::cycles_around) + fitted::cycles_of_launch;
  }

 private:
  std::int64_t kept_of(const PanelCopy& copy, std::int64_t width) const {
    return kept_numbers(copy, copy.accesses(width, tile_.depth, tile_.warps, target_.gpu->warp_threads));
  }

  std::int64_t panels() const { return ceil_div(work_.sizes.k, tile_.depth); }

  const TensorTiles& t_;
  const TensorWork& work_;
  const target::Target& target_;
  const BlockTile tile_;
  const std::int64_t bytes_ = work_.factors.bytes();
  BlockLoad load_, most_;  ///< what blocks are counted by, and what must fit
  std::int64_t blocks_ = 1, side_by_side_ = 1;
  std::int64_t instructions_ = 0, copied_bytes_ = 0;  ///< of a warp and of a block, in a panel
};

}  // namespace

std::int64_t kept_numbers(const PanelCopy& copy, std::int64_t accesses) {
  return accesses < least_left_in_loop ? accesses * copy.kept_numbers : 0;
}

double together(std::initializer_list<double> times) {
  double sum = 0;
  for (const double time : times) sum += std::pow(time, 4);
  return std::pow(sum, 0.25);
}

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

std::vector<std::int64_t> panels_under_way(const ProductSizes& sizes, std::int64_t depth) {
  std::vector<std::int64_t> counts = {1, 2, 3, 4};
  if (sizes.m <= rows_of_stream && ceil_div(sizes.k, depth) > 2) counts = {2, 4, 6, 8};
  // No more than there are others; of one panel one is as good as none.
  const std::int64_t most = std::max<std::int64_t>(ceil_div(sizes.k, depth) - 1, 1);
  std::erase_if(counts, [&](std::int64_t count) { return count > most; });
  return counts;
}

ChosenTensorTiles tensor_tiles_for(const TensorWork& work, const MmaUnit& unit,
                                   const target::Target& target) {
  const ProductSizes& sizes = work.sizes;
  ChosenTensorTiles best;
  for (const std::int64_t steps : tensor_steps(sizes, unit))
    for (const std::int64_t ahead : panels_under_way(sizes, steps * unit.depth))
      for (TensorTiles tiles : all_tensor_tiles(sizes, unit)) {
        tiles.steps = steps, tiles.ahead = ahead;
        const TileModel model(tiles, work, unit, target);
        if (!model.is_possible()) continue;
        const double cost = model.cycles();
        if (best.cycles < 0 || cost < best.cycles) best = {tiles, cost};
      }
  return best;
}

}  // namespace ardea::rules
