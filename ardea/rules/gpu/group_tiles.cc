#include "ardea/rules/gpu/group_tiles.h"

#include <algorithm>

#include "ardea/support/ceil_div.h"

namespace ardea::rules {

namespace {

constexpr std::int64_t most_groups_of_block = 4, most_frags_of_group = 2;

/// Cycles and bytes of one multiprocessor, fitted to 173 programs of eight products and convolutions that
/// were timed on an H200: what the model says of one is wrong by 8 %. Other GPUs are taken for alike.
namespace fitted_to_groups {
constexpr double products = 2048;     ///< in a cycle: what the units can do
constexpr double shared_bytes = 119;  ///< in a cycle, read or written
constexpr double device_bytes = 62;   ///< in a cycle, mostly from the second cache
/// That threads ask for in a cycle, where their addresses are rows of a matrix, and where they are windows.
constexpr double row_bytes_asked_for = 220, window_bytes_asked_for = 97;
constexpr double cycles_of_panel = 170;    ///< to wait for each other
constexpr double cycles_of_product = 116;  ///< from one instruction of a warp to its next
constexpr double cycles_to_arrive = 1350;
constexpr double cycles_of_result = 0.13;
constexpr double cycles_around = 2550;  ///< for a block to begin and end
}  // namespace fitted_to_groups

/// Where a unit copies both factors, which takes no thread's time.
namespace fitted_to_boxes {
constexpr double shared_bytes = 130, device_bytes = 66, cycles_of_panel = 120, cycles_to_arrive = 1100;
}  // namespace fitted_to_boxes

/// What tiles of a product cost.
class GroupModel {
 public:
  GroupModel(const GroupTiles& t, const TensorWork& work, const target::Target& target)
      : t_(t), work_(work), target_(target), tile_(t.block()) {
    const std::int64_t kept = (by_unit(work.a) ? 0 : kept_of(work.a, tile_.rows)) +
                              (by_unit(work.b) ? 0 : kept_of(work.b, tile_.columns));
    panel_bytes_ = (tile_.rows + tile_.columns) * tile_.depth * work.factors.bytes();
    load_ = {.warps = tile_.warps,
             .shared_bytes = (t.ahead + 1) * panel_bytes_,
             .registers_of_thread = registers_in_group(t.frags_m, t.columns, kept)};
    blocks_ = count_of_tiles(work.sizes, work.batches, tile_);
    side_by_side_ = std::min(load_.held_by(*target.gpu), ceil_div(blocks_, target.cores));
  }

  bool is_possible() const {
    // A pipeline that is full for one iteration at most has no steady state, in which copies are under way.
    if (t_.ahead > 1 && panels() <= t_.ahead + 1) return false;
    const int threads = target_.gpu->warp_threads;
    const auto is_copied = [&](const PanelCopy& copy, std::int64_t width) {
      return by_unit(copy) || copy.is_shared_evenly(width, tile_.depth, tile_.warps, threads);
    };
    return is_copied(work_.a, tile_.rows) && is_copied(work_.b, tile_.columns) && load_.fits(*target_.gpu);
  }

  /// Of one multiprocessor. Where it holds several blocks, one copies while another multiplies.
  double cycles() const {
    const double multiplying =
        as_double(tile_.rows * tile_.columns * tile_.depth) / fitted_to_groups::products;
    const std::int64_t read =
        t_.groups * t_.frags_m * (GroupUnit::rows + tile_.columns) * tile_.depth * work_.factors.bytes();
    const bool all_by_unit = by_unit(work_.a) && by_unit(work_.b);
    const double shared_memory =
                     as_double(read + panel_bytes_) /
                     (all_by_unit ? fitted_to_boxes::shared_bytes : fitted_to_groups::shared_bytes),
                 device_memory = as_double(panel_bytes_) / (all_by_unit ? fitted_to_boxes::device_bytes
                                                                        : fitted_to_groups::device_bytes);
    const double of_all = as_double(side_by_side_) * together({multiplying, shared_memory, device_memory});
    const double asked_for = work_.a.kept_numbers > 1 || work_.has_windows
                                 ? fitted_to_groups::window_bytes_asked_for
                                 : fitted_to_groups::row_bytes_asked_for;
    const double asking = all_by_unit
                              ? fitted_to_boxes::cycles_of_panel
                              : as_double(bytes_by_threads()) / asked_for + fitted_to_groups::cycles_of_panel;
    const double alone =
        asking + multiplying + fitted_to_groups::cycles_of_product * as_double(t_.frags_m - 1);
    const double arriving =
        (all_by_unit ? fitted_to_boxes::cycles_to_arrive : fitted_to_groups::cycles_to_arrive) /
        as_double(t_.ahead);
    const double all_panels = as_double(panels()) * together({of_all, alone, arriving});
    const double results =
        as_double(side_by_side_ * tile_.rows * tile_.columns) * fitted_to_groups::cycles_of_result;
    const std::int64_t waves = ceil_div(blocks_, side_by_side_ * target_.cores);
    return as_double(waves) * (all_panels + results + fitted_to_groups::cycles_around);
  }

 private:
  std::int64_t kept_of(const PanelCopy& copy, std::int64_t width) const {
    return kept_numbers(copy, copy.accesses(width, tile_.depth, tile_.warps, target_.gpu->warp_threads));
  }

  bool by_unit(const PanelCopy& copy) const { return t_.by_unit && copy.has_boxes; }

  /// Of a panel.
  std::int64_t bytes_by_threads() const {
    return ((by_unit(work_.a) ? 0 : tile_.rows) + (by_unit(work_.b) ? 0 : tile_.columns)) * tile_.depth *
           work_.factors.bytes();
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

bool may_copy_boxes(const TensorWork& work, std::int64_t ahead) {
  return (work.a.has_boxes || work.b.has_boxes) && ceil_div(work.sizes.k, GroupUnit::depth) > ahead + 1;
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
    for (const std::int64_t ahead : panels_under_way(work.sizes.k, GroupUnit::depth))
      for (const bool by_unit : {false, true})
        if (!by_unit || may_copy_boxes(work, ahead))
          take_better(best, group_tiles_for(work, columns, ahead, by_unit, target));
  return best;
}

}  // namespace ardea::rules
