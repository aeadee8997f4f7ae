#include "ardea/rules/cpu/channel_lanes.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/rules/analysis/channel_sum.h"
#include "ardea/rules/cpu/register_sums.h"
#include "ardea/rules/cpu/windows.h"
#include "ardea/rules/model/register_tiles.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/transform_layout.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/reduce/pad_einsum.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// Wider tiles than that are never written out.
constexpr std::int64_t most_vectors_of_channels = 8;

class ChannelLanes {
 public:
  ChannelLanes(Derivation& d, const BlockRef& block, const ChannelSum& sum)
      : d_(d),
        s_(d.steps()),
        sum_(sum),
        block_(block),
        name_(path_to(s_.program(), block)->block().name),
        tile_(choose_sum_tile(sum.places(), sum.channels(), d.target(),
                              {.period = sum.period, .are_side_by_side = sum.has_data_side_by_side})) {}

  void run() {
    const std::int64_t lanes = lanes_of(d_.target());
    const TileAxis rows{sum_.places(), d_.target().vector_registers, 1, tile_.rows};
    const TileAxis columns{sum_.channels(), most_vectors_of_channels * lanes, lanes, tile_.vectors * lanes};
    choose_left_over_of_tiles(rows, columns);
    rows_ = rows.number(d_, name_ + "_places", left_over_.rows);
    columns_ = columns.number(d_, name_ + "_channels", left_over_.columns);
    Followers followers = followers_of(d_, block_);
    if (left_over_.is(Rest::padded)) followers = pad();
    const bool packs = packs_kernel(sum_.channels() > columns.model);
    if (left_over_.is(Rest::cut)) {
      sum_whole_tiles(packs);
    } else {
      if (packs) pack();
      sum_all(followers);
    }
    const std::vector<std::int64_t> extents(
        sum_.stage.extents.begin() + static_cast<std::ptrdiff_t>(sum_.stage.spatial),
        sum_.stage.extents.end());
    unroll_sum(d_, name_, reduced_, extents, tile_.rows * tile_.vectors, left_over_.is_guarded());
    if (panels_) place_panels();
    if (d_.target().cores > 1) share_among_threads();
    d_.finish(block_);
  }

 private:
  /// Places are anything in the data's indices, so that they are not filled up. Registers that hold another
  /// order than the result are not those of a nest beside others.
  void choose_left_over_of_tiles(const TileAxis& rows, const TileAxis& columns) {
    LeftOverChoices choices = choices_of_left_over(d_, block_, sum_.stage, rows, columns);
    choices.rows_padded = false;
    if (!is_last()) choices.rows_cut = choices.columns_cut = false;
    left_over_ = choose_left_over(d_, block_, name_, choices);
  }

  Followers pad() {
    const Followers followers = followers_of(d_, block_);
    std::vector<Number> padding(sum_.stage.iterators.size(), Number(1));
    padding[sum_.channel] = columns_;
    const std::vector<BlockRef> added = s_.blocks(PadEinsum{block_, padding});
    take_copy(added.at(0));
    return {.unpad = added.back(), .after = followers.after};
  }

  void take_copy(const BlockRef& copy) {
    panels_ = copy;
    is_copy_ = true;
    sum_.kernel = path_to(s_.program(), copy)->block().writes->at(0).buffer;
  }

  bool is_last() const { return sum_.channel + 1 == sum_.stage.spatial; }
  std::size_t from_end(std::size_t iterator) const { return sum_.stage.spatial - iterator; }

  /// Channels that do not lie side by side are brought together.
  bool packs_kernel(bool model) {
    if (!is_copy_ && !is_parameter(s_.program(), sum_.kernel)) return false;
    if (d_.packs_weights_ahead() || sum_.kernel_channel + 1 != sum_.kernel->shape.size()) return true;
    if (!left_over_.is_guarded()) return model;
    return d_.whether(fmt::format("{} in panels", sum_.kernel->name), model);
  }

  void pack() {
    const IndexText map(channel_panels(sum_.kernel->shape.size(), sum_.kernel_channel), {{"t", columns_}});
    if (is_copy_)
      s_.apply(TransformLayout{block_, sum_.kernel->name, map});
    else
      panels_ = s_.blocks(TransformLayout{block_, sum_.kernel->name, map, 0.0})[0];
  }

  /// A copy of the kernel goes through it as it lies.
  void place_panels() {
    if (!d_.wishes().weights_ahead) s_.apply(ComputeAt{*panels_, panel_loop_, true});
    const auto loops = s_.get_loops(*panels_);
    if (!is_copy_) {
      s_.apply(Vectorize{loops.back()});
      return;
    }
    const LoopRef& channels = loops[loops.size() - sum_.kernel->shape.size() + sum_.kernel_channel];
    if (channels != loops.back()) s_.apply(Reorder{{loops.back(), channels}});
    s_.apply(Vectorize{channels});
  }

  /// Registers hold channels side by side.
  void move_channel_last() {
    std::string all, others;
    for (std::size_t i = 0; i < sum_.stage.spatial; ++i) {
      all += fmt::format("{}d{}", i == 0 ? "" : ", ", i);
      if (i != sum_.channel) others += fmt::format("d{}, ", i);
    }
    const Buffer registers = path_to(s_.program(), block_)->block().writes->at(0).buffer;
    s_.apply(TransformLayout{
        block_, {registers->name}, fmt::format("lambda {}: ({}d{})", all, others, sum_.channel)});
  }

  void sum_all(const Followers& followers) {
    const BlockRef out = results_in_registers(d_, block_, followers);
    if (!is_last()) move_channel_last();
    split_loops();
    keep_in_registers(d_, {block_, out}, tiles_, reduced_[0][0], from_end(sum_.row), from_end(sum_.channel));
  }

  void split_loops() {
    const auto loops = s_.get_loops(block_);
    const auto right =
        split_into_tiles(d_, loops[sum_.channel], make_int(sum_.channels()), columns_, left_over_.columns);
    const auto down = split_into_tiles(d_, loops[sum_.row], make_int(sum_.places()), rows_, left_over_.rows);
    reduced_ = {{loops.begin() + static_cast<std::ptrdiff_t>(sum_.stage.spatial), loops.end()}};
    std::vector<LoopRef> order = {right[0]};
    shared_rows_ = {down[0]};
    for (const LoopRef& loop : other_loops(loops)) {
      order.push_back(loop);
      shared_rows_ = {loop};
    }
    order.push_back(down[0]);
    order.insert(order.end(), reduced_[0].begin(), reduced_[0].end());
    order.insert(order.end(), {down[1], right[1]});
    s_.apply(Reorder{order});
    panel_loop_ = right[0];
    tiles_ = down[0];
  }

  /// Of what is summed, all but the row and the channel.
  std::vector<LoopRef> other_loops(const std::vector<LoopRef>& loops) const {
    std::vector<LoopRef> others;
    for (std::size_t i = 0; i < sum_.stage.spatial; ++i)
      if (i != sum_.channel && i != sum_.row) others.push_back(loops[i]);
    return others;
  }

  /// Panels are for the whole tiles: what is cut off from them reads the kernel where it is.
  void sum_whole_tiles(bool packs) {
    const auto loops = s_.get_loops(block_);
    const std::vector<LoopRef> others = other_loops(loops);
    std::vector<LoopRef> order = {loops[sum_.row], loops[sum_.channel]};
    order.insert(order.end(), others.begin(), others.end());
    s_.apply(Reorder{order});
    const SumsToCut sums{.sums = block_,
                         .others = others.size(),
                         .out = sum_.stage.out->name,
                         .tile_rows = rows_,
                         .tile_columns = columns_,
                         .result_rows = from_end(sum_.row)};
    CutSums cut = cut_off(d_, sums, left_over_);
    SumNest& whole = cut.whole;
    if (whole.rows.size() == 1) whole.rows = split_into_tiles(d_, whole.rows[0], {}, rows_, Rest::guarded);
    if (whole.columns.size() == 1)
      whole.columns = split_into_tiles(d_, whole.columns[0], {}, columns_, Rest::guarded);
    if (packs) {
      take_copy(copy_for(d_, block_, sum_.kernel, {block_}));
      pack();
    }
    sum_in_registers(d_, sums, whole);
    panel_loop_ = whole.columns[0];
    cut.rests.insert(cut.rests.begin(), whole);
    for (const SumNest& nest : cut.rests) {
      reduced_.push_back(nest.steps);
      if (!nest.others.empty())
        shared_rows_.push_back(nest.others.back());
      else if (nest.rows.size() > 1)
        shared_rows_.push_back(nest.rows[0]);
    }
  }

  void share_among_threads() {
    const std::size_t shared =
        left_over_.is_guarded() ? d_.way(name_ + " shared by threads", {"channels", "rows"}, 1) : 1;
    if (shared == 0)
      s_.apply(Parallel{panel_loop_});
    else
      for (const LoopRef& rows : shared_rows_) s_.apply(Parallel{rows});
  }

  Derivation& d_;
  Schedule& s_;
  ChannelSum sum_;
  BlockRef block_;
  std::string name_;
  SumTile tile_;
  LeftOver left_over_;
  Number rows_, columns_;
  std::optional<BlockRef> panels_;
  bool is_copy_ = false;  ///< whether panels are what a copy makes of the kernel in its order
  LoopRef panel_loop_, tiles_;
  std::vector<LoopRef> shared_rows_;           ///< of every nest that has some
  std::vector<std::vector<LoopRef>> reduced_;  ///< of every nest
};

bool has_channel_lanes(const Derivation& d, const BlockRef& stage) {
  const target::Target& target = d.target();
  if (target.kind != target::Kind::cpu || target.vector_bits < 128) return false;
  const auto found = channel_sum(d.steps().program(), stage);
  return found && found->stage.out->type == float32 &&
         std::all_of(found->stage.loads.begin(), found->stage.loads.end(),
                     [](const Load& load) { return load.buffer->type == float32; });
}

}  // namespace

Rule channel_lanes() {
  return {.name = "channels as lanes",
          .doc = "sums of products of any indices: channels of the kernel as lanes, places as rows of a tile",
          .applies = has_channel_lanes,
          .apply = [](Derivation& d, const BlockRef& stage) {
            const ChannelSum found = *channel_sum(d.steps().program(), stage);
            ChannelLanes(d, stage, found).run();
          }};
}

}  // namespace ardea::rules
