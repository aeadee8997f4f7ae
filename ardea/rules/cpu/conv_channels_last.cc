#include "ardea/rules/cpu/conv_channels_last.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/rules/cpu/register_sums.h"
#include "ardea/rules/cpu/windows.h"
#include "ardea/rules/exact_cut.h"
#include "ardea/rules/model/candidates.h"
#include "ardea/rules/model/register_tiles.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/transform_layout.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/program/tree.h"
#include "ardea/support/ceil_div.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// So many panels a core are shared evenly enough, whatever their number.
constexpr std::int64_t many_panels_a_core = 4;

/// Wider tiles than that are never written out.
constexpr std::int64_t widest_tile_vectors = 8;

class ChannelsLast {
 public:
  ChannelsLast(Derivation& d, const BlockRef& block, const WindowedSum& sum)
      : d_(d),
        s_(d.steps()),
        sum_(sum),
        block_(block),
        name_(path_to(s_.program(), block)->block().name),
        tile_(choose_sum_tile(sum.axes.back().places, sum.group, d.target())) {}

  void run() {
    const std::int64_t lanes = lanes_of(d_.target()), row = sum_.axes.back().places;
    rows_ = d_.number(name_ + "_pixels", tile_sizes_within(row, d_.target().vector_registers), tile_.rows);
    const std::vector<std::int64_t> widths =
        tile_sizes_within(sum_.group, widest_tile_vectors * lanes, lanes);
    // Tiles of a group are whole: no proof says of which group the channels behind the last would be.
    if (sum_.groups() > 1)
      columns_of_group_ = exact_cut(d_, name_ + "_channels", sum_.group, widths, columns_by_model());
    else
      columns_ = d_.number(name_ + "_channels", widths, columns_by_model());
    if (packs_weights()) pack();
    out_ = results_in_registers(d_, block_);
    split_loops();
    keep_in_registers(d_, {block_, out_}, tiles_, reduced_[0]);
    unroll_sum(d_, name_, reduced_, sum_.reduced_extents(), tile_.rows * tile_.vectors);
    place_weights();
    if (sum_.has_border) copy_with_border();
    if (d_.target().cores > 1) s_.apply(Parallel{shared_loop()});
    d_.finish(block_);
  }

 private:
  std::int64_t columns_by_model() const {
    const std::int64_t wanted = tile_.vectors * lanes_of(d_.target());
    return sum_.groups() > 1 ? largest_divisor(sum_.group, wanted) : std::min(wanted, sum_.group);
  }

  /// One panel that is whole is what the weights are already. Those of a group are few: their rows stay
  /// in the caches as they lie.
  bool packs_weights() {
    if (sum_.groups() > 1) return false;
    if (d_.packs_weights_ahead()) return true;
    return d_.whether(fmt::format("{} in panels", sum_.kernel->name), sum_.channels() > columns_by_model());
  }

  void pack() {
    panels_ = s_.blocks(TransformLayout{
        block_, sum_.kernel->name,
        IndexText(channel_panels(sum_.kernel->shape.size(), sum_.kernel_channel), {{"t", columns_}}),
        0.0})[0];
  }

  void split_loops() {
    const auto loops = s_.get_loops(block_);
    std::vector<LoopRef> order;
    LoopRef channels = loops[sum_.channel];
    if (sum_.groups() > 1) {
      const auto groups = s_.loops(Split{channels, {Number(sum_.groups()), Number(sum_.group)}, true, true});
      group_loop_ = groups[0];
      order.push_back(groups[0]);
      channels = groups[1];
    }
    const std::size_t row = sum_.axes.back().place;
    const auto right = columns_of_group_ ? split(d_, channels, *columns_of_group_)
                                         : s_.loops(Split{channels, {std::nullopt, columns_}});
    const auto down = s_.loops(Split{loops[row], {std::nullopt, rows_}});
    order.push_back(right[0]);
    order.insert(order.end(), loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(row));
    order.push_back(down[0]);
    reduced_.assign(loops.begin() + static_cast<std::ptrdiff_t>(sum_.stage.spatial), loops.end());
    order.insert(order.end(), reduced_.begin(), reduced_.end());
    order.insert(order.end(), {down[1], right[1]});
    s_.apply(Reorder{order});
    panel_loop_ = right[0];
    tiles_ = down[0];
    image_rows_ = sum_.rank() > 1 ? loops[sum_.batches] : down[0];
  }

  void place_weights() {
    if (!panels_) return;
    if (!d_.packs_weights_ahead()) s_.apply(ComputeAt{*panels_, panel_loop_, true});
    s_.apply(Vectorize{s_.get_loops(*panels_).back()});
  }

  void copy_with_border() {
    const auto loops = s_.get_loops(*sum_.maker);
    s_.apply(Vectorize{s_.loops(Fuse{{loops[loops.size() - 2], loops.back()}})[0]});
    if (sum_.rank() > 1) cut_at_border(d_, sum_, loops[loops.size() - 3]);
    d_.finish(*sum_.maker);
  }

  /// The loop whose iterations the cores share: panels, each packed by the core that uses it, where they are
  /// many, else rows.
  LoopRef shared_loop() {
    const std::int64_t cores = d_.target().cores,
                       panels = sum_.groups() * ceil_div(sum_.group, columns_by_model());
    const bool are_many = panels % cores == 0 || panels >= many_panels_a_core * cores;
    const std::size_t shared = d_.way(name_ + " shared by threads", {"channels", "rows"}, are_many ? 0 : 1);
    if (shared == 1) return image_rows_;
    return group_loop_ ? *group_loop_ : panel_loop_;
  }

  Derivation& d_;
  Schedule& s_;
  const WindowedSum& sum_;
  BlockRef block_, out_;
  std::string name_;
  SumTile tile_;
  Number rows_, columns_;
  std::optional<ExactCut> columns_of_group_;
  std::optional<BlockRef> panels_;
  std::optional<LoopRef> group_loop_;
  LoopRef panel_loop_, tiles_, image_rows_;
  std::vector<LoopRef> reduced_;
};

}  // namespace

Rule conv_channels_last() {
  return window_rule(
      "windows with channels last",
      "channels of the result as lanes, places as rows of a register tile, weights in panels",
      [](const WindowedSum& found) { return found.channels_last && !found.is_apart(); },
      [](Derivation& d, const BlockRef& stage, const WindowedSum& found) {
        ChannelsLast(d, stage, found).run();
      });
}

}  // namespace ardea::rules
