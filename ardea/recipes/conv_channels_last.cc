#include "ardea/recipes/conv_channels_last.h"

#include <fmt/core.h>

#include "ardea/recipes/conv_sizes.h"
#include "ardea/recipes/register_sums.h"
#include "ardea/rules/model/register_tiles.h"
#include "ardea/schedule/primitives/loops/annotate.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/cache_write.h"
#include "ardea/schedule/primitives/memory/transform_layout.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/support/ceil_div.h"

namespace ardea::recipes {

using namespace schedule;

namespace {

/// So many panels a core are shared evenly enough, whatever their number.
constexpr std::int64_t many_panels_a_core = 4;

/// The loop whose iterations the cores share: panels, each packed by the core that uses it, where they are
/// many, else rows.
LoopRef shared_loop(const LoopRef& panels, const LoopRef& rows, std::int64_t panel_count,
                    const target::Target& target) {
  return panel_count % target.cores == 0 || panel_count >= many_panels_a_core * target.cores ? panels : rows;
}

}  // namespace

bool serves_conv_channels_last(const ops::Workload& workload, const target::Target& target) {
  const bool is_conv =
      workload.op == "c1d" || workload.op == "c2d" || workload.op == "c3d" || workload.op == "dil";
  return is_conv && is_float32_on_vectors(workload, target) && conv_sizes(workload).channels_last;
}

void schedule_conv_channels_last(Schedule& s, const ops::Workload& workload, const target::Target& target,
                                 Packing packing) {
  const ConvSizes sizes = conv_sizes(workload);
  const std::size_t rank = sizes.rank();
  const SumTile tile = choose_sum_tile(sizes.output.back(), sizes.output_channels, target);
  const std::int64_t panel = tile.vectors * lanes_of(target);
  const BlockRef sum = s.get_block("out");
  const std::string window = rank == 1 ? "q" : rank == 2 ? "p, q" : "r, p, q";
  // One panel that is whole is what the weights are already.
  std::optional<BlockRef> pack;
  if (sizes.output_channels != panel || packing == Packing::ahead)
    pack =
        s.blocks(TransformLayout{sum,
                                 {"kernel"},
                                 fmt::format("lambda {0}, c, o: (o // {1}, {0}, c, o % {1})", window, panel),
                                 0.0})[0];
  const BlockRef out = s.blocks(CacheWrite{sum, 0, "register"})[0];

  const auto loops = s.get_loops(sum);  // n, the spatial ones, co, the window's, ci
  const auto right = s.loops(Split{loops[1 + rank], {std::nullopt, panel}});
  const auto down = s.loops(Split{loops[rank], {std::nullopt, tile.rows}});
  std::vector<LoopRef> order = {right[0]};
  order.insert(order.end(), loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(rank));
  order.push_back(down[0]);
  const std::vector<LoopRef> reduced(loops.begin() + static_cast<std::ptrdiff_t>(rank) + 2, loops.end());
  order.insert(order.end(), reduced.begin(), reduced.end());
  order.insert(order.end(), {down[1], right[1]});
  s.apply(Reorder{order});
  keep_in_registers(s, {sum, out}, down[0], reduced[0]);
  std::vector<std::int64_t> extents = sizes.window;
  extents.push_back(sizes.input_channels);
  unroll_sum(s, reduced, extents, tile.rows * tile.vectors);
  if (pack) {
    if (packing == Packing::in_nest) s.apply(ComputeAt{*pack, right[0], true});
    // Before all else a loop of one iteration is none.
    if (packing == Packing::in_nest || sizes.output_channels > 1)
      s.apply(Vectorize{s.get_loops(*pack).back()});
  }
  if (sizes.pad > 0) {
    const auto padded = s.get_loops(s.get_block("data_padded"));
    s.apply(Vectorize{s.loops(Fuse{{padded[padded.size() - 2], padded.back()}})[0]});
    // Only the border of the image asks whether it is one.
    if (rank > 1) s.apply(Pragma{padded[padded.size() - 3], "loop_partition_hint", Argument(true)});
  }
  if (target.cores > 1)
    s.apply(Parallel{shared_loop(right[0], rank > 1 ? loops[1] : down[0],
                                 ceil_div(sizes.output_channels, panel), target)});
}

}  // namespace ardea::recipes
