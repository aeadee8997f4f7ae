#include "ardea/rules/cpu/conv_channels_first.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "ardea/rules/cpu/register_sums.h"
#include "ardea/rules/cpu/windows.h"
#include "ardea/rules/exact_cut.h"
#include "ardea/rules/model/candidates.h"
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
    choose_numbers();
    if (!is_pointwise(sum_)) joins_rows_ ? copy_joined() : copy_rows();
    arrange_output();
    split_loops();
    // Of the results' loops, rows are the channel and the places, joined or not.
    keep_in_registers(d_, {block_, out_}, channel_tiles_, reduced_[0], joins_rows_ ? rank_ : rank_ + 1);
    unroll_sum(d_, name_, reduced_, sum_.reduced_extents(), plan_.tile.rows * plan_.tile.vectors);
    if (copy_) place_copy();
    if (d_.target().cores > 1) s_.apply(Parallel{shared_loop()});
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

  /// The tile of sums, and how many rows of the image are a part of it.
  void choose_numbers() {
    const std::int64_t lanes = lanes_of(d_.target());
    const std::int64_t columns = joins_rows_ ? image_rows() * row() : row();
    const std::int64_t width = std::min(plan_.tile.vectors * lanes, columns);
    choose_channels();
    std::vector<std::int64_t> widths = tile_sizes_within(columns, most_vectors_of_places * lanes, lanes);
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
    columns_ = d_.number(name_ + "_pixels", widths, width);
  }

  /// Tiles of a group are whole: no proof says of which group the channels behind the last would be.
  void choose_channels() {
    const std::vector<std::int64_t> sizes = tile_sizes_within(sum_.group, d_.target().vector_registers);
    if (sum_.groups() == 1)
      channels_ = d_.number(name_ + "_channels", sizes, plan_.tile.rows);
    else
      channels_of_group_ =
          exact_cut(d_, name_ + "_channels", sum_.group, sizes, largest_divisor(sum_.group, plan_.tile.rows));
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

  /// Results are written from the registers to where they belong.
  void arrange_output() {
    if (!joins_rows_) {
      out_ = results_in_registers(d_, block_);
      return;
    }
    const std::string b = batch_indices(sum_), outer = rank_ == 3 ? "z, " : "";
    out_ = results_in_registers(d_, block_,
                                fmt::format("lambda {0}c, {1}y, x: ({0}c, {1}y * {2} + x)", b, outer, row()));
  }

  void split_loops() {
    const auto loops = s_.get_loops(block_);
    reduced_.assign(loops.begin() + static_cast<std::ptrdiff_t>(sum_.stage.spatial), loops.end());
    std::vector<LoopRef> order(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(sum_.batches));
    LoopRef channels = loops[sum_.channel], columns = loops[sum_.axes.back().place];
    if (sum_.groups() > 1) {
      const auto groups = s_.loops(Split{channels, {Number(sum_.groups()), Number(sum_.group)}, true, true});
      group_loop_ = groups[0];
      order.push_back(groups[0]);
      channels = groups[1];
    }
    if (rank_ == 3) order.push_back(loops[sum_.axes[0].place]);
    if (rank_ > 1) {
      LoopRef rows = loops[sum_.axes[rank_ - 2].place];
      if (in_parts_) {
        const auto parts = split(d_, rows, *parts_);
        part_loop_ = parts[0];
        rows = parts[1];
        order.push_back(parts[0]);
      }
      if (joins_rows_) {
        std::vector<LoopRef> joined = {channels, rows, columns};
        if (part_loop_) joined.insert(joined.begin(), *part_loop_);
        s_.apply(Reorder{joined});
        columns = s_.loops(Fuse{{rows, columns}})[0];
      } else {
        row_loop_ = rows;
        order.push_back(rows);
      }
    }
    const auto right = column_tile_count_ ? split(d_, columns, {*column_tile_count_, columns_})
                                          : s_.loops(Split{columns, {std::nullopt, columns_}});
    const auto down = channels_of_group_ ? split(d_, channels, *channels_of_group_)
                                         : s_.loops(Split{channels, {std::nullopt, channels_}});
    channel_tiles_ = down[0];
    order.insert(order.end(), {right[0], down[0]});
    order.insert(order.end(), reduced_.begin(), reduced_.end());
    order.insert(order.end(), {down[1], right[1]});
    s_.apply(Reorder{order});
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

  /// The loop whose iterations the cores share. Tiles of joined rows end within rows, of which no proof says
  /// that they stay apart; tiles of channels do.
  LoopRef shared_loop() const {
    if (part_loop_) return *part_loop_;
    if (row_loop_) return *row_loop_;
    return group_loop_ ? *group_loop_ : channel_tiles_;
  }

  Derivation& d_;
  Schedule& s_;
  const WindowedSum& sum_;
  BlockRef block_, out_;
  std::string name_;
  std::size_t rank_;
  WindowPlan plan_;
  bool joins_rows_ = false, in_parts_ = false, keeps_rows_ = false;
  Number channels_, columns_;
  std::optional<Number> column_tile_count_;
  std::optional<ExactCut> parts_, channels_of_group_;
  std::optional<BlockRef> copy_;
  std::optional<LoopRef> group_loop_, part_loop_, row_loop_;
  LoopRef channel_tiles_;
  std::vector<LoopRef> reduced_;
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
