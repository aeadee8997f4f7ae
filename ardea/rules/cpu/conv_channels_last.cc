#include "ardea/rules/cpu/conv_channels_last.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/rules/cpu/register_sums.h"
#include "ardea/rules/cpu/windows.h"
#include "ardea/rules/exact_cut.h"
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
        tile_(choose_sum_tile(sum.axes.back().places, sum.group, d.target())) {
    const std::int64_t lanes = lanes_of(d.target());
    row_axis_ = {sum_.axes.back().places, d.target().vector_registers, 1, tile_.rows};
    column_axis_ = {sum_.group, widest_tile_vectors * lanes, lanes, columns_by_model()};
    LeftOverChoices choices = choices_of_left_over(d, block, sum_.stage, row_axis_, column_axis_);
    // Tiles of a group are whole: no proof says of which group the channels behind the last would be.
    if (sum_.groups() > 1) choices = {.rows_padded = choices.rows_padded};
    left_over_ = choose_left_over(d_, block_, name_, choices);
  }

  void run() {
    rows_ = row_axis_.number(d_, name_ + "_pixels", left_over_.rows);
    if (sum_.groups() > 1)
      columns_of_group_ = exact_cut(d_, name_ + "_channels", sum_.group, column_axis_.sizes(Rest::guarded),
                                    columns_by_model());
    else
      columns_ = column_axis_.number(d_, name_ + "_channels", left_over_.columns);
    Followers followers = followers_of(d_, block_);
    if (left_over_.is(Rest::padded)) followers = pad();
    if (left_over_.is(Rest::cut)) {
      sum_whole_tiles();
    } else {
      if (packs_weights()) pack();
      out_ = results_in_registers(d_, block_, followers);
      split_loops();
      keep_in_registers(d_, {block_, out_}, tiles_, reduced_[0][0]);
    }
    unroll_sum(d_, name_, reduced_, sum_.reduced_extents(), tile_.rows * tile_.vectors,
               left_over_.is_guarded());
    place_weights();
    if (sum_.has_border) copy_with_border();
    if (d_.target().cores > 1) share_among_threads();
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
    const bool pays = sum_.channels() > columns_by_model();
    // Other questions than what is left over are open where that is guarded.
    if (!left_over_.is_guarded()) return pays;
    return d_.whether(fmt::format("{} in panels", sum_.kernel->name), pays);
  }

  Followers pad() {
    std::vector<PaddedIterator> iterators;
    if (left_over_.rows == Rest::padded) iterators.push_back({sum_.axes.back().place, rows_});
    if (left_over_.columns == Rest::padded) iterators.push_back({sum_.channel, columns_});
    const PaddedWindows padded = pad_windows(d_, block_, sum_, iterators);
    sum_ = padded.sum;
    panels_ = padded.kernel_copy;
    is_copy_ = panels_.has_value();
    return padded.followers;
  }

  /// A copy of the weights goes through them as they lie.
  void pack() {
    const IndexText map(channel_panels(sum_.kernel->shape.size(), sum_.kernel_channel), {{"t", columns_}});
    if (is_copy_)
      s_.apply(TransformLayout{block_, sum_.kernel->name, map});
    else
      panels_ = s_.blocks(TransformLayout{block_, sum_.kernel->name, map, 0.0})[0];
  }

  /// Panels are for the whole tiles: what is cut off from them reads the weights where they are.
  void sum_whole_tiles() {
    const auto loops = s_.get_loops(block_);
    const std::size_t others = sum_.stage.spatial - 2;  // all but the places of a row and the channels
    std::vector<LoopRef> order = {loops[others], loops[others + 1]};
    order.insert(order.end(), loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(others));
    s_.apply(Reorder{order});
    const SumsToCut sums{.sums = block_,
                         .others = others,
                         .out = sum_.stage.out->name,
                         .tile_rows = rows_,
                         .tile_columns = columns_};
    CutSums cut = cut_off(d_, sums, left_over_);
    if (cut.whole.rows.size() == 1)
      cut.whole.rows = split_into_tiles(d_, cut.whole.rows[0], {}, rows_, Rest::guarded);
    if (cut.whole.columns.size() == 1)
      cut.whole.columns = split_into_tiles(d_, cut.whole.columns[0], {}, columns_, Rest::guarded);
    if (packs_weights()) {
      panels_ = copy_for(d_, block_, sum_.kernel, {block_});
      is_copy_ = true;
      sum_.kernel = path_to(s_.program(), *panels_)->block().writes->at(0).buffer;
      pack();
    }
    sum_in_registers(d_, sums, cut.whole);
    panel_loop_ = cut.whole.columns[0];
    image_rows_ = rows_of(cut.whole);
    reduced_ = {cut.whole.steps};
    for (const SumNest& rest : cut.rests) {
      reduced_.push_back(rest.steps);
      rest_rows_.push_back(rows_of(rest));
    }
  }

  /// The loop over rows of the image, or over tiles of the only one.
  LoopRef rows_of(const SumNest& nest) const {
    return sum_.rank() > 1 ? nest.others[sum_.batches] : nest.rows[0];
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
                                         : split_into_tiles(d_, channels, make_int(sum_.group), columns_,
                                                            left_over_.columns);
    const auto down =
        split_into_tiles(d_, loops[row], make_int(sum_.axes.back().places), rows_, left_over_.rows);
    order.push_back(right[0]);
    order.insert(order.end(), loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(row));
    order.push_back(down[0]);
    reduced_ = {{loops.begin() + static_cast<std::ptrdiff_t>(sum_.stage.spatial), loops.end()}};
    order.insert(order.end(), reduced_[0].begin(), reduced_[0].end());
    order.insert(order.end(), {down[1], right[1]});
    s_.apply(Reorder{order});
    panel_loop_ = right[0];
    tiles_ = down[0];
    image_rows_ = sum_.rank() > 1 ? loops[sum_.batches] : down[0];
  }

  void place_weights() {
    if (!panels_) return;
    if (!d_.packs_weights_ahead()) s_.apply(ComputeAt{*panels_, panel_loop_, true});
    const auto loops = s_.get_loops(*panels_);
    if (!is_copy_) {
      s_.apply(Vectorize{loops.back()});
      return;
    }
    const std::size_t first = loops.size() - sum_.kernel->shape.size();
    const LoopRef& channels = loops[first + sum_.kernel_channel];
    if (channels != loops.back()) s_.apply(Reorder{{loops.back(), channels}});
    s_.apply(Vectorize{channels});
  }

  void copy_with_border() {
    const auto loops = s_.get_loops(*sum_.maker);
    s_.apply(Vectorize{s_.loops(Fuse{{loops[loops.size() - 2], loops.back()}})[0]});
    if (sum_.rank() > 1) cut_at_border(d_, sum_, loops[loops.size() - 3]);
    d_.finish(*sum_.maker);
  }

  /// The cores share panels, each packed by the core that uses it, where they are many, else rows.
  void share_among_threads() {
    const std::int64_t cores = d_.target().cores,
                       panels = sum_.groups() * ceil_div(sum_.group, columns_by_model());
    bool shares_panels = panels % cores == 0 || panels >= many_panels_a_core * cores;
    if (left_over_.is_guarded())
      shares_panels = d_.way(name_ + " shared by threads", {"channels", "rows"}, shares_panels ? 0 : 1) == 0;
    const LoopRef panel_loop = group_loop_ ? *group_loop_ : panel_loop_;
    s_.apply(Parallel{shares_panels ? panel_loop : image_rows_});
    for (const LoopRef& rows : rest_rows_) s_.apply(Parallel{rows});
  }

  Derivation& d_;
  Schedule& s_;
  WindowedSum sum_;
  BlockRef block_, out_;
  std::string name_;
  SumTile tile_;
  TileAxis row_axis_, column_axis_;
  LeftOver left_over_;
  Number rows_, columns_;
  std::optional<ExactCut> columns_of_group_;
  std::optional<BlockRef> panels_;
  bool is_copy_ = false;  ///< whether panels are what a copy makes of the weights in their order
  std::optional<LoopRef> group_loop_;
  LoopRef panel_loop_, tiles_, image_rows_;
  std::vector<LoopRef> rest_rows_;
  std::vector<std::vector<LoopRef>> reduced_;  ///< of whole tiles, then of each nest that is cut off
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
