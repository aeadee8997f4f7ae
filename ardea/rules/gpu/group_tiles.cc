#include "ardea/rules/gpu/group_tiles.h"

#include <algorithm>

#include "ardea/support/ceil_div.h"

namespace ardea::rules {

namespace {

constexpr std::int64_t most_groups_of_block = 4, most_frags_of_group = 2;

constexpr double products_in_cycle = 2048;  ///< what the units of a multiprocessor can do

/// Cycles and bytes of one multiprocessor, as programs took them that were timed on an H200. Other GPUs are
/// taken for alike.
struct Fitted {
  double shared_bytes;       ///< in a cycle, read or written
  double device_bytes;       ///< in a cycle, mostly from the second cache
  double cycles_of_panel;    ///< from one panel's product to the next one's
  double cycles_of_product;  ///< from one instruction of a warp to its next
  double cycles_to_arrive;
  double cycles_of_result;
  double cycles_around;    ///< for a block to begin and end
  double cycles_of_group;  ///< of it, the same
};

/// 407 programs of fifteen products and convolutions, of which the model is wrong by 9 %.
constexpr Fitted where_threads_copy = {.shared_bytes = 128,
                                       .device_bytes = 92,
                                       .cycles_of_panel = 177,
                                       .cycles_of_product = 0,
                                       .cycles_to_arrive = 1425,
                                       .cycles_of_result = 0.074,
                                       .cycles_around = 4411,
                                       .cycles_of_group = 70};
/// That threads ask for in a cycle, where their addresses are rows of a matrix, and where they are windows.
constexpr double row_bytes_asked_for = 348, window_bytes_asked_for = 150;

/// 283 programs of thirteen of them, of which it is wrong by 11 %. What comes from the second cache did not
/// show, nor did results. Best explain them 4490 cycles around all panels and 79 from product to product;
/// with these two as they stand the faster way is chosen for all, and of gemm 4096³ the faster tile.
constexpr Fitted where_unit_copies = {.shared_bytes = 166,
                                      .device_bytes = 1e6,
                                      .cycles_of_panel = 220,
                                      .cycles_of_product = 50,
                                      .cycles_to_arrive = 1547,
                                      .cycles_of_result = 0,
                                      .cycles_around = 5600,
                                      .cycles_of_group = 790};
/// Of windows the unit copies so much in a cycle, for all blocks of a multiprocessor.
constexpr double window_bytes_of_unit = 36;

/// Registers that threads took beside their sums. That none spills is kept to with more (registers_in_group).
constexpr std::int64_t usual_registers = 30;

/// What tiles of a product cost.
class GroupModel {
 public:
  GroupModel(const GroupTiles& t, const TensorWork& work, const target::Target& target)
      : t_(t), work_(work), target_(target), tile_(t.block()) {
    const std::int64_t kept = t.by_unit ? 0 : kept_of(work.a, tile_.rows) + kept_of(work.b, tile_.columns);
    panel_bytes_ = (tile_.rows + tile_.columns) * tile_.depth * work.factors.bytes();
    load_ = {.warps = tile_.warps,
             .shared_bytes = std::min(t.ahead + 1, panels()) * panel_bytes_,
             .registers_of_thread = registers_in_group(t.frags_m, t.columns, kept)};
    blocks_ = count_of_tiles(work.sizes, work.batches, tile_);
    BlockLoad usual = load_;
    usual.registers_of_thread = t.frags_m * (t.columns / 2) + kept + usual_registers;
    side_by_side_ = std::min(usual.held_by(*target.gpu), ceil_div(blocks_, target.cores));
  }

  bool is_possible() const {
    const int threads = target_.gpu->warp_threads;
    const bool is_copied =
        t_.by_unit || (work_.a.is_shared_evenly(tile_.rows, tile_.depth, tile_.warps, threads) &&
                       work_.b.is_shared_evenly(tile_.columns, tile_.depth, tile_.warps, threads));
    return is_copied && load_.fits(*target_.gpu);
  }

  /// Of one multiprocessor. Where it holds several blocks, one copies while another multiplies.
  double cycles() const {
    const Fitted& fitted = t_.by_unit ? where_unit_copies : where_threads_copy;
    const double multiplying = as_double(tile_.rows * tile_.columns * tile_.depth) / products_in_cycle;
    const std::int64_t read =
        t_.groups * t_.frags_m * (GroupUnit::rows + tile_.columns) * tile_.depth * work_.factors.bytes();
    const auto blocks = as_double(side_by_side_);
    const double of_all =
        blocks * together({multiplying, as_double(read + panel_bytes_) / fitted.shared_bytes,
                           as_double(panel_bytes_) / fitted.device_bytes, cycles_of_windows()});
    const double alone = asking() + multiplying + fitted.cycles_of_panel +
                         fitted.cycles_of_product * as_double(t_.frags_m - 1);
    const double arriving = fitted.cycles_to_arrive / as_double(t_.ahead);
    const double all_panels =
        as_double(panels()) *
        (come_at_once()
             ? together({of_all, asking() + multiplying, fitted.cycles_to_arrive / as_double(panels())})
             : together({of_all, alone, arriving}));
    const double results = blocks * as_double(tile_.rows * tile_.columns) * fitted.cycles_of_result,
                 around = fitted.cycles_around + fitted.cycles_of_group * as_double(t_.groups);
    const std::int64_t waves = ceil_div(blocks_, side_by_side_ * target_.cores);
    return as_double(waves) * (all_panels + results + around);
  }

 private:
  /// Few panels are asked for together, and nothing is between products.
  bool come_at_once() const { return panels() <= t_.ahead + 1; }

  /// The unit for windows of a panel.
  double cycles_of_windows() const {
    if (!t_.by_unit || work_.a.of_unit != UnitSource::windows) return 0;
    return as_double(tile_.rows * tile_.depth * work_.factors.bytes()) / window_bytes_of_unit;
  }

  /// Threads for the copies of a panel.
  double asking() const {
    if (t_.by_unit) return 0;
    const bool are_windows = work_.a.kept_numbers > 1 || work_.has_windows;
    return as_double(panel_bytes_) / (are_windows ? window_bytes_asked_for : row_bytes_asked_for);
  }

  std::int64_t kept_of(const PanelCopy& copy, std::int64_t width) const {
    return kept_numbers(copy, copy.accesses(width, tile_.depth, tile_.warps, target_.gpu->warp_threads));
  }

  std::int64_t panels() const { return ceil_div(work_.sizes.k, tile_.depth); }

  const GroupTiles& t_;
  const TensorWork& work_;
  const target::Target& target_;
  const BlockTile tile_;
  BlockLoad load_;
  std::int64_t panel_bytes_ = 0, blocks_ = 1, side_by_side_ = 1;
};

void take_better(std::optional<ChosenGroupTiles>& best, const std::optional<ChosenGroupTiles>& other) {
  if (other && (!best || other->cycles < best->cycles)) best = other;
}

}  // namespace

BlockTile GroupTiles::block() const {
  return {.warps = groups * GroupUnit::warps,
          .rows = groups * frags_m * GroupUnit::rows,
          .columns = columns,
          .depth = GroupUnit::depth};
}

std::vector<std::int64_t> group_counts(const ProductSizes& sizes) {
  return doublings(sizes.m, GroupUnit::rows, most_groups_of_block);
}

std::vector<std::int64_t> frags_of_groups(const ProductSizes& sizes) {
  return doublings(sizes.m, GroupUnit::rows, most_frags_of_group);
}

std::vector<std::int64_t> columns_of_groups(const ProductSizes& sizes) {
  std::vector<std::int64_t> all;
  for (const std::int64_t columns : GroupUnit::columns())
    if (columns <= sizes.n) all.push_back(columns);
  return all;
}

bool may_copy_boxes(const TensorWork& work) {
  return work.a.of_unit != UnitSource::none && work.b.of_unit != UnitSource::none;
}

std::optional<ChosenGroupTiles> group_tiles_for(const TensorWork& work, std::int64_t columns,
                                                std::int64_t ahead, bool by_unit,
                                                const target::Target& target) {
  std::optional<ChosenGroupTiles> best;
  for (const std::int64_t groups : group_counts(work.sizes))
    for (const std::int64_t frags : frags_of_groups(work.sizes)) {
      const GroupTiles tiles{
          .groups = groups, .frags_m = frags, .columns = columns, .ahead = ahead, .by_unit = by_unit};
      if (tiles.block().rows > work.sizes.m) continue;
      const GroupModel model(tiles, work, target);
      if (model.is_possible()) take_better(best, ChosenGroupTiles{tiles, model.cycles()});
    }
  return best;
}

std::optional<ChosenGroupTiles> group_tiles_for(const TensorWork& work, const target::Target& target) {
  std::optional<ChosenGroupTiles> best;
  for (const std::int64_t columns : columns_of_groups(work.sizes))
    for (const std::int64_t ahead : panels_under_way(work.sizes, GroupUnit::depth))
      for (const bool by_unit : {false, true})
        if (!by_unit || may_copy_boxes(work))
          take_better(best, group_tiles_for(work, columns, ahead, by_unit, target));
  return best;
}

}  // namespace ardea::rules
