#include "ardea/rules/cpu/conv_channels_first.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "ardea/rules/cpu/register_sums.h"
#include "ardea/rules/cpu/windows.h"
#include "ardea/rules/exact_cut.h"
#include "ardea/rules/model/window_plan.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/reindex.h"
#include "ardea/schedule/primitives/memory/rolling_buffer.h"
#include "ardea/schedule/primitives/memory/transform_layout.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/place/compute_inline.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// Wider tiles than that are never written out.
constexpr std::int64_t most_vectors_of_places = 8;

class ChannelsFirst {
 public:
  ChannelsFirst(Derivation& d, const BlockRef& block, const WindowedSum& sum)
      : d_(d),
        s_(d.steps()),
        sum_(sum),
        block_(block),
        name_(path_to(s_.program(), block)->block().name),
        rank_(sum.rank()) {}

  void run() {
    choose_plan();
    choose_left_over_of_tiles();
    decide_blocks();
    choose_numbers();
    Followers followers = followers_of(d_, block_);
    if (left_over_.is(Rest::padded)) followers = pad();
    if (!is_pointwise(sum_)) joins_rows_ ? copy_joined() : copy_rows();
    arrange_output(followers);
    split_loops();
    write_out_sums();
    if (copy_) place_copy();
    if (d_.target().cores > 1) share_among_threads();
    d_.finish(block_);
  }

 private:
  std::int64_t image_rows() const { return rank_ > 1 ? sum_.axes[rank_ - 2].places : 1; }
  std::int64_t row() const { return sum_.axes.back().places; }
  std::int64_t column_stride() const { return sum_.axes.back().stride; }

  void choose_plan() {
    plan_ = choose_window_plan(sum_, d_.target());
    joins_rows_ = plan_.joins_rows;
    if (rank_ < 2) return;
    joins_rows_ = d_.whether(fmt::format("rows of {} joined", sum_.data->name), plan_.joins_rows);
    plan_ = choose_window_plan(sum_, joins_rows_, d_.target());
    if (can_copy_some_rows(sum_, joins_rows_) && image_rows() > 1)
      in_parts_ = d_.whether(fmt::format("{} in parts of rows", name_), plan_.rows < image_rows());
    decide_kept_rows();
  }

  /// Rows of a part follow each other: of the data's rows that are copied for one, those are kept which the
  /// next one needs, too. Tiles of joined rows have none for themselves.
  void decide_kept_rows() {
    if (!in_parts_ || joins_rows_ || (!sum_.has_border && column_stride() == 1)) return;
    if (!shares_rows(sum_.axes[rank_ - 2]) || lengths_of_parts().back() < 2) return;
    keeps_rows_ = d_.whether(fmt::format("rows of {} kept", sum_.data->name), false);
  }

  /// One part is the way without parts.
  std::vector<std::int64_t> lengths_of_parts() const {
    std::vector<std::int64_t> lengths = divisors_of(image_rows());
    lengths.pop_back();
    return lengths;
  }

  /// Columns of a tile: places of a row, or of rows that follow each other.
  std::int64_t columns_of_all() const { return joins_rows_ ? image_rows() * row() : row(); }
  TileAxis row_axis() const { return {sum_.group, d_.target().vector_registers, 1, plan_.tile.rows}; }
  TileAxis column_axis() const {
    const std::int64_t lanes = lanes_of(d_.target());
    return {columns_of_all(), most_vectors_of_places * lanes, lanes, plan_.tile.vectors * lanes};
  }

  /// Joined, places are no iterator that could be padded; in parts of joined rows, and in groups, tiles are
  /// whole.
  void choose_left_over_of_tiles() {
    LeftOverChoices choices = choices_of_left_over(d_, block_, sum_.stage, row_axis(), column_axis());
    if (joins_rows_) choices.columns_padded = false;
    if (joins_rows_ && in_parts_) choices.columns_cut = false;
    if (sum_.groups() > 1) choices = {.columns_padded = choices.columns_padded};
    left_over_ = choose_left_over(d_, block_, name_, choices);
  }

  /// Whether a deep sum is taken a block of the data's channels at a time. Results that others are made of
  /// leave the registers once.
  void decide_blocks() {
    if (!left_over_.is_guarded() || in_parts_ || sum_.groups() > 1 || followers_of(d_, block_).after) return;
    if (!sum_.input || *sum_.input != sum_.stage.spatial || sum_.taps() == 1) return;
    inputs_at_a_time_ = inputs_at_a_time(sum_, plan_, d_.target());
    if (!inputs_at_a_time_ || sum_.inputs() == 1) return;
    in_blocks_ = d_.whether(fmt::format("{} in blocks of channels", name_), true);
  }

  /// The tile of sums, and how many rows of the image are a part of it.
  void choose_numbers() {
    const std::int64_t width = std::min(column_axis().model, columns_of_all());
    choose_channels();
    const std::vector<std::int64_t> widths = column_axis().sizes(Rest::guarded);
    if (in_parts_) {
      std::vector<std::int64_t> parts = lengths_of_parts();
      if (keeps_rows_) std::erase(parts, 1);
      const bool is_one = std::find(parts.begin(), parts.end(), plan_.rows) != parts.end();
      const std::int64_t model = is_one ? plan_.rows : parts.back();
      parts_ = exact_cut(d_, name_ + "_image_rows", image_rows(), parts, model);
      if (joins_rows_) {
        const std::int64_t divisor = largest_divisor(model * row(), width);
        // A tile that ended within a part would need rows of the next one.
        std::set<std::int64_t> counts;
        for (const std::int64_t part : parts)
          for (const std::int64_t w : widths)
            if (part * row() % w == 0) counts.insert(part * row() / w);
        columns_ = d_.number(name_ + "_pixels", widths, divisor);
        column_tile_count_ =
            d_.number(name_ + "_pixel_tiles", {counts.begin(), counts.end()}, model * row() / divisor);
        return;
      }
    }
    columns_ = column_axis().number(d_, name_ + "_pixels", left_over_.columns);
  }

  /// Tiles of a group are whole: no proof says of which group the channels behind the last would be.
  void choose_channels() {
    if (sum_.groups() == 1)
      channels_ = row_axis().number(d_, name_ + "_channels", left_over_.rows);
    else
      channels_of_group_ = exact_cut(d_, name_ + "_channels", sum_.group, row_axis().sizes(Rest::guarded),
                                     largest_divisor(sum_.group, plan_.tile.rows));
  }

  Followers pad() {
    std::vector<PaddedIterator> iterators;
    if (left_over_.rows == Rest::padded) iterators.push_back({sum_.channel, channels_});
    if (left_over_.columns == Rest::padded) iterators.push_back({sum_.axes.back().place, columns_});
    const PaddedWindows padded = pad_windows(d_, block_, sum_, iterators);
    sum_ = padded.sum;
    if (padded.kernel_copy) {  // all that belongs to a channel lies side by side
      std::vector<LoopRef> loops = s_.get_loops(*padded.kernel_copy);
      loops.erase(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(sum_.kernel_channel + 1));
      if (!loops.empty()) s_.apply(Vectorize{loops.size() > 1 ? s_.loops(Fuse{loops})[0] : loops[0]});
    }
    return padded.followers;
  }

  /// One image for each column of the window, so that rows follow each other in it.
  void copy_joined() {
    // Dimensions of the data: batches, channels, places. Of groups the channels stay what they are.
    std::vector<std::int64_t> kept;
    if (has_channels_first()) kept.push_back(static_cast<std::int64_t>(sum_.batches));
    for (std::size_t i = 0; i + 1 < rank_; ++i)
      kept.push_back(static_cast<std::int64_t>(sum_.batches + 1 + i));
    copy_ = s_.blocks(Reindex{block_, {sum_.data->name}, kept})[0];
    if (sum_.has_border) s_.apply(ComputeInline{*sum_.maker});
    // Rows of the result that follow each other read rows of the data that do so after a stride.
    const std::int64_t step = sum_.axes[rank_ - 2].stride;
    const std::string b = batch_indices(sum_), outer = rank_ == 3 ? "z, " : "";
    const std::string rows = step == 1 ? "y" : fmt::format("y % {0}, y // {0}", step);
    s_.apply(
        TransformLayout{block_,
                        {sum_.data->name + "_reindex"},
                        fmt::format("lambda {}: ({}c, q, {}{}, x)", copied_dimensions(), b, outer, rows)});
  }

  /// What stands behind the columns in the copy: the channels of the data and the columns of the window, in
  /// the order of their loops; channels of groups stand before the rows.
  bool has_channels_first() const { return sum_.groups() > 1; }
  bool has_channels_last() const { return !has_channels_first() && *sum_.input > sum_.axes.back().tap; }

  std::string copied_dimensions() const {
    const std::string places =
        batch_indices(sum_) + (has_channels_first() ? "c, " : "") + (rank_ == 3 ? "z, y, x, " : "y, x, ");
    if (has_channels_first()) return places + "q";
    return places + (has_channels_last() ? "q, c" : "c, q");
  }

  /// Columns that a stride takes apart are brought together.
  void copy_rows() {
    if (column_stride() == 1) {
      if (sum_.has_border) copy_ = sum_.maker;
      return;
    }
    copy_ = gather_columns(d_, block_, sum_);
  }

  /// Results are written from the registers to where they belong. Of several nests each has its own: then
  /// joined rows are taken apart after all of them.
  void arrange_output(const Followers& followers) {
    std::optional<IndexText> layout;
    if (joins_rows_) {
      const std::string b = batch_indices(sum_), outer = rank_ == 3 ? "z, " : "";
      layout = fmt::format("lambda {0}c, {1}y, x: ({0}c, {1}y * {2} + x)", b, outer, row());
    }
    if (!left_over_.is(Rest::cut) && !in_blocks_) {
      out_ = results_in_registers(d_, block_, followers, layout);
    } else if (layout) {
      for (const BlockRef& block : s_.blocks(TransformLayout{block_, {sum_.stage.out->name}, *layout}))
        s_.apply(Vectorize{s_.get_loops(block).back()});
    }
  }

  /// In order: batches, groups, planes, parts, rows.
  void split_outer_loops(const std::vector<LoopRef>& loops) {
    around_.assign(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(sum_.batches));
    channels_of_all_ = loops[sum_.channel];
    columns_of_row_ = loops[sum_.axes.back().place];
    if (sum_.groups() > 1) {
      const auto groups =
          s_.loops(Split{channels_of_all_, {Number(sum_.groups()), Number(sum_.group)}, true, true});
      group_loop_ = groups[0];
      around_.push_back(groups[0]);
      channels_of_all_ = groups[1];
    }
    if (rank_ == 3) around_.push_back(loops[sum_.axes[0].place]);
    if (rank_ < 2) return;
    LoopRef rows = loops[sum_.axes[rank_ - 2].place];
    if (in_parts_) {
      const auto parts = split(d_, rows, *parts_);
      part_loop_ = parts[0];
      rows = parts[1];
      around_.push_back(parts[0]);
    }
    if (joins_rows_) {
      std::vector<LoopRef> joined = {channels_of_all_, rows, columns_of_row_};
      if (part_loop_) joined.insert(joined.begin(), *part_loop_);
      s_.apply(Reorder{joined});
      columns_of_row_ = s_.loops(Fuse{{rows, columns_of_row_}})[0];
    } else {
      row_loop_ = rows;
      around_.push_back(rows);
    }
  }

  void split_loops() {
    const auto loops = s_.get_loops(block_);
    split_outer_loops(loops);
    const std::vector<LoopRef> reduced(loops.begin() + static_cast<std::ptrdiff_t>(sum_.stage.spatial),
                                       loops.end());
    if (left_over_.is(Rest::cut)) return sum_whole_tiles(reduced);
    reduced_ = {reduced};
    const auto right = in_column_tiles(columns_of_row_);
    const auto down = channels_of_group_ ? split(d_, channels_of_all_, *channels_of_group_)
                                         : split_into_tiles(d_, channels_of_all_, make_int(sum_.group),
                                                            channels_, left_over_.rows);
    channel_tiles_ = {down[0]};
    if (in_blocks_) return sum_blocks({down, right, {}, reduced});
    std::vector<LoopRef> order = around_;
    order.insert(order.end(), {right[0], down[0]});
    order.insert(order.end(), reduced.begin(), reduced.end());
    order.insert(order.end(), {down[1], right[1]});
    s_.apply(Reorder{order});
    keep_in_registers(d_, {block_, out_}, down[0], reduced[0], result_rows());
  }

  /// For each block of the data's channels all tiles: the first block stores their sums, the others add to
  /// them.
  void sum_blocks(SumNest nest) {
    std::vector<std::int64_t> sizes = divisors_of(sum_.inputs());
    sizes.pop_back();
    const auto blocks =
        split(d_, nest.steps[0],
              exact_cut(d_, name_ + "_inputs", sum_.inputs(), sizes,
                        largest_divisor(sum_.inputs(), std::min(*inputs_at_a_time_, sizes.back()))));
    nest.steps[0] = blocks[1];
    std::vector<LoopRef> order = around_;
    order.insert(order.end(), {blocks[0], nest.columns[0], nest.rows[0]});
    s_.apply(Reorder{order});
    sum_in_registers(d_, sums_to_cut(), nest);
  }

  std::vector<LoopRef> in_column_tiles(const LoopRef& columns) {
    if (column_tile_count_) return split(d_, columns, {*column_tile_count_, columns_});
    return split_into_tiles(d_, columns, make_int(columns_of_all()), columns_, left_over_.columns);
  }

  /// Of the results' loops, rows are the channel and the places, joined or not.
  std::size_t result_rows() const { return joins_rows_ ? rank_ : rank_ + 1; }

  SumsToCut sums_to_cut() const {
    return {.sums = block_,
            .around = around_.size(),
            .out = path_to(s_.program(), block_)->block().writes->at(0).buffer->name,
            .tile_rows = channels_,
            .tile_columns = columns_,
            .result_rows = result_rows()};
  }

  /// Steps of a block are as many as a knob says, and stay a loop.
  void write_out_sums() {
    std::vector<std::int64_t> extents = sum_.reduced_extents();
    if (in_blocks_) {
      extents.erase(extents.begin());
      for (std::vector<LoopRef>& steps : reduced_) steps.erase(steps.begin());
    }
    unroll_sum(d_, name_, reduced_, extents, plan_.tile.rows * plan_.tile.vectors, left_over_.is_guarded());
  }

  void sum_whole_tiles(const std::vector<LoopRef>& reduced) {
    std::vector<LoopRef> order = around_;
    order.insert(order.end(), {channels_of_all_, columns_of_row_});
    order.insert(order.end(), reduced.begin(), reduced.end());
    s_.apply(Reorder{order});
    const SumsToCut sums = sums_to_cut();
    CutSums cut = cut_off(d_, sums, left_over_);
    SumNest& whole = cut.whole;
    if (whole.columns.size() == 1) whole.columns = in_column_tiles(whole.columns[0]);
    if (whole.rows.size() == 1)
      whole.rows = split_into_tiles(d_, whole.rows[0], {}, channels_, Rest::guarded);
    sum_in_registers(d_, sums, whole);
    cut.rests.insert(cut.rests.begin(), whole);
    for (const SumNest& nest : cut.rests) {
      reduced_.push_back(nest.steps);
      if (nest.rows.size() > 1) channel_tiles_.push_back(nest.rows[0]);
    }
  }

  void place_copy() {
    if (part_loop_) s_.apply(ComputeAt{*copy_, keeps_rows_ ? *row_loop_ : *part_loop_, true});
    if (keeps_rows_) s_.apply(RollingBuffer{*copy_});
    joins_rows_ ? arrange_joined_copy() : arrange_row_copy();
    d_.finish(*copy_);
  }

  void arrange_joined_copy() {
    const auto loops = s_.get_loops(*copy_);  // in the order of copied_dimensions
    const std::size_t count = loops.size(), columns = count - (has_channels_first() ? 2 : 3);
    const LoopRef channels = has_channels_first()  ? loops[columns - rank_]
                             : has_channels_last() ? loops[count - 1]
                                                   : loops[count - 2];
    const LoopRef window = has_channels_last() ? loops[count - 2] : loops[count - 1];
    std::vector<LoopRef> order = {channels, window};
    for (std::size_t i = columns + 1 - rank_; i <= columns; ++i) order.push_back(loops[i]);
    s_.apply(Reorder{order});
    s_.apply(Unroll{window});  // which columns lie outside is then known of each
    s_.apply(Vectorize{loops[columns]});
    cut_at_border(d_, sum_, loops[columns - 1]);
  }

  void arrange_row_copy() {
    const auto loops = s_.get_loops(*copy_);
    if (column_stride() == 1 || !sum_.has_border) {
      s_.apply(Vectorize{loops.back()});
    } else {
      const auto columns = s_.loops(Split{loops.back(), {std::nullopt, Number(column_stride())}});
      s_.apply(Reorder{{columns[1], columns[0]}});
      s_.apply(Unroll{columns[1]});
      s_.apply(Vectorize{columns[0]});
    }
    if (rank_ > 1) cut_at_border(d_, sum_, loops[loops.size() - 2]);
  }

  /// The cores share parts or rows, where there are any. Tiles of joined rows end within rows, of which no
  /// proof says that they stay apart; tiles of channels do.
  void share_among_threads() {
    if (part_loop_ || row_loop_ || group_loop_) {
      s_.apply(Parallel{part_loop_ ? *part_loop_ : row_loop_ ? *row_loop_ : *group_loop_});
      return;
    }
    for (const LoopRef& tiles : channel_tiles_) s_.apply(Parallel{tiles});
  }

  Derivation& d_;
  Schedule& s_;
  WindowedSum sum_;
  BlockRef block_, out_;
  std::string name_;
  std::size_t rank_;
  WindowPlan plan_;
  bool joins_rows_ = false, in_parts_ = false, keeps_rows_ = false, in_blocks_ = false;
  std::optional<std::int64_t> inputs_at_a_time_;
  LeftOver left_over_;
  Number channels_, columns_;
  std::optional<Number> column_tile_count_;
  std::optional<ExactCut> parts_, channels_of_group_;
  std::optional<BlockRef> copy_;
  std::optional<LoopRef> group_loop_, part_loop_, row_loop_;
  std::vector<LoopRef> around_;               ///< all tiles
  LoopRef channels_of_all_, columns_of_row_;  ///< the loops that tiles are made of
  std::vector<LoopRef> channel_tiles_;        ///< of whole tiles first
  std::vector<std::vector<LoopRef>> reduced_;
};

}  // namespace

Rule conv_channels_first() {
  return window_rule(
      "windows with channels first",
      "places as lanes, channels of the result as rows of a register tile, weights read in place",
      [](const WindowedSum& found) { return !found.channels_last && !found.is_apart(); },
      [](Derivation& d, const BlockRef& stage, const WindowedSum& found) {
        ChannelsFirst(d, stage, found).run();
      });
}

}  // namespace ardea::rules
