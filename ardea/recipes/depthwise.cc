#include "ardea/recipes/depthwise.h"

#include <fmt/core.h>

#include "ardea/recipes/conv_sizes.h"
#include "ardea/recipes/register_sums.h"
#include "ardea/rules/model/register_tiles.h"
#include "ardea/schedule/primitives/loops/annotate.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/cache_write.h"
#include "ardea/schedule/primitives/memory/transform_layout.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/place/compute_inline.h"

namespace ardea::recipes {

using namespace schedule;

namespace {

/// As many sums at a time as a quarter of the registers holds: the window's weights, and what is loaded, need
/// the others. Fewer, where that leaves no rest.
std::int64_t sums_at_a_time(std::int64_t extent, const target::Target& target) {
  const std::int64_t most = std::min<std::int64_t>(extent, std::max(target.vector_registers / 4, 2));
  for (std::int64_t sums = most; 2 * sums > most; --sums)
    if (extent % sums == 0) return sums;
  return most;
}

/// Zeros around the image are chosen where it is read; only its border asks.
void read_without_copy(Schedule& s, const ConvSizes& sizes, const LoopRef& rows, const LoopRef& columns) {
  if (sizes.pad == 0) return;
  s.apply(ComputeInline{s.get_block("data_padded")});
  for (const LoopRef& loop : {rows, columns}) s.apply(Pragma{loop, "loop_partition_hint", Argument(true)});
}

/// Columns that a stride takes apart are brought together, channel by channel.
BlockRef gather_columns(Schedule& s, const BlockRef& sum, const ConvSizes& sizes) {
  const std::string map = fmt::format("lambda n, c, y, x: (n, c, y, x % {0}, x // {0})", sizes.stride);
  if (sizes.pad == 0) return s.blocks(TransformLayout{sum, {"data"}, map, 0.0})[0];
  s.apply(TransformLayout{sum, {"data_padded"}, map});
  return s.get_block("data_padded");
}

void vectorize_gathered(Schedule& s, const BlockRef& copy, const ConvSizes& sizes) {
  const LoopRef columns = s.get_loops(copy).back();
  if (sizes.pad == 0) {
    s.apply(Vectorize{columns});
    return;
  }
  const auto parts = s.loops(Split{columns, {std::nullopt, sizes.stride}});
  s.apply(Reorder{{parts[1], parts[0]}});
  s.apply(Unroll{parts[1]});
  s.apply(Vectorize{parts[0]});
}

/// Both layouts have two loops before the two whose tile is in registers: sums of neighbours times lanes.
struct Tiled {
  LoopRef outer;        ///< the second loop, which threads share
  LoopRef down, right;  ///< over tiles
};

Tiled sum_in_registers(Schedule& s, const BlockRef& sum, std::int64_t sums, const ConvSizes& sizes,
                       const target::Target& target) {
  const BlockRef out = s.blocks(CacheWrite{sum, 0, "register"})[0];
  const auto loops = s.get_loops(sum);  // n, c, h, w, kh, kw or n, h, w, c, kh, kw
  const auto down = s.loops(Split{loops[2], {std::nullopt, sums}});
  const auto right = s.loops(Split{loops[3], {std::nullopt, lanes_of(target)}});
  s.apply(Reorder{{loops[0], loops[1], down[0], right[0], loops[4], loops[5], down[1], right[1]}});
  keep_in_registers(s, {sum, out}, right[0], loops[4]);
  unroll_sum(s, {loops[4], loops[5]}, sizes.window, sums);
  if (target.cores > 1) s.apply(Parallel{loops[1]});
  return {loops[1], down[0], right[0]};
}

void schedule_channels_first(Schedule& s, const ConvSizes& sizes, const target::Target& target) {
  const BlockRef sum = s.get_block("out");
  std::optional<BlockRef> copy;
  if (sizes.stride > 1) copy = gather_columns(s, sum, sizes);
  const Tiled tiled = sum_in_registers(s, sum, sums_at_a_time(sizes.output[0], target), sizes, target);
  if (copy) {
    s.apply(ComputeAt{*copy, tiled.outer, true});
    vectorize_gathered(s, *copy, sizes);
  } else {
    read_without_copy(s, sizes, tiled.down, tiled.right);
  }
}

void schedule_channels_last(Schedule& s, const ConvSizes& sizes, const target::Target& target) {
  const Tiled tiled =
      sum_in_registers(s, s.get_block("out"), sums_at_a_time(sizes.output[1], target), sizes, target);
  read_without_copy(s, sizes, tiled.outer, tiled.down);
}

}  // namespace

bool serves_depthwise(const ops::Workload& workload, const target::Target& target) {
  return workload.op == "depthwise" && is_float32_on_vectors(workload, target);
}

void schedule_depthwise(Schedule& s, const ops::Workload& workload, const target::Target& target) {
  const ConvSizes sizes = conv_sizes(workload);
  if (sizes.channels_last)
    schedule_channels_last(s, sizes, target);
  else
    schedule_channels_first(s, sizes, target);
}

}  // namespace ardea::recipes
