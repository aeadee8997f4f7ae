#include "ardea/rules/cpu/channel_lanes.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/rules/analysis/channel_sum.h"
#include "ardea/rules/cpu/register_sums.h"
#include "ardea/rules/cpu/windows.h"
#include "ardea/rules/model/candidates.h"
#include "ardea/rules/model/register_tiles.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/transform_layout.h"
#include "ardea/schedule/primitives/place/compute_at.h"
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
        tile_(choose_sum_tile(sum.places(), sum.channels(), d.target())) {}

  void run() {
    const std::int64_t lanes = lanes_of(d_.target());
    const std::int64_t width = std::min(tile_.vectors * lanes, sum_.channels());
    rows_ = d_.number(name_ + "_places", tile_sizes_within(sum_.places(), d_.target().vector_registers),
                      tile_.rows);
    columns_ = d_.number(name_ + "_channels",
                         tile_sizes_within(sum_.channels(), most_vectors_of_channels * lanes, lanes), width);
    if (packs_kernel(sum_.channels() > width)) pack();
    const BlockRef out = results_in_registers(d_, block_);
    if (!is_last()) move_channel_last();
    split_loops();
    keep_in_registers(d_, {block_, out}, tiles_, reduced_[0], from_end(sum_.row), from_end(sum_.channel));
    const std::vector<std::int64_t> extents(
        sum_.stage.extents.begin() + static_cast<std::ptrdiff_t>(sum_.stage.spatial),
        sum_.stage.extents.end());
    unroll_sum(d_, name_, reduced_, extents, tile_.rows * tile_.vectors);
    if (panels_) {
      if (!d_.wishes().weights_ahead) s_.apply(ComputeAt{*panels_, panel_loop_, true});
      s_.apply(Vectorize{s_.get_loops(*panels_).back()});
    }
    if (d_.target().cores > 1) {
      const std::size_t shared = d_.way(name_ + " shared by threads", {"channels", "rows"}, 1);
      s_.apply(Parallel{shared == 0 ? panel_loop_ : shared_rows_});
    }
    d_.finish(block_);
  }

 private:
  bool is_last() const { return sum_.channel + 1 == sum_.stage.spatial; }
  std::size_t from_end(std::size_t iterator) const { return sum_.stage.spatial - iterator; }

  /// Channels that do not lie side by side are brought together.
  bool packs_kernel(bool model) {
    if (!is_parameter(s_.program(), sum_.kernel)) return false;
    if (d_.packs_weights_ahead() || sum_.kernel_channel + 1 != sum_.kernel->shape.size()) return true;
    return d_.whether(fmt::format("{} in panels", sum_.kernel->name), model);
  }

  void pack() {
    panels_ = s_.blocks(TransformLayout{
        block_, sum_.kernel->name,
        IndexText(channel_panels(sum_.kernel->shape.size(), sum_.kernel_channel), {{"t", columns_}}),
        0.0})[0];
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

  void split_loops() {
    const auto loops = s_.get_loops(block_);
    const auto right = s_.loops(Split{loops[sum_.channel], {std::nullopt, columns_}});
    const auto down = s_.loops(Split{loops[sum_.row], {std::nullopt, rows_}});
    reduced_.assign(loops.begin() + static_cast<std::ptrdiff_t>(sum_.stage.spatial), loops.end());
    std::vector<LoopRef> order = {right[0]};
    shared_rows_ = down[0];
    for (std::size_t i = 0; i < sum_.stage.spatial; ++i)
      if (i != sum_.channel && i != sum_.row) {
        order.push_back(loops[i]);
        shared_rows_ = loops[i];
      }
    order.push_back(down[0]);
    order.insert(order.end(), reduced_.begin(), reduced_.end());
    order.insert(order.end(), {down[1], right[1]});
    s_.apply(Reorder{order});
    panel_loop_ = right[0];
    tiles_ = down[0];
  }

  Derivation& d_;
  Schedule& s_;
  const ChannelSum& sum_;
  BlockRef block_;
  std::string name_;
  SumTile tile_;
  Number rows_, columns_;
  std::optional<BlockRef> panels_;
  LoopRef panel_loop_, tiles_, shared_rows_;
  std::vector<LoopRef> reduced_;
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
