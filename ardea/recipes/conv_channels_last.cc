#include "ardea/recipes/conv_channels_last.h"

#include <fmt/core.h>

#include "ardea/recipes/conv_sizes.h"
#include "ardea/recipes/register_tiles.h"
#include "ardea/schedule/cache_write.h"
#include "ardea/schedule/compute_at.h"
#include "ardea/schedule/decompose_reduction.h"
#include "ardea/schedule/fuse.h"
#include "ardea/schedule/mark.h"
#include "ardea/schedule/reorder.h"
#include "ardea/schedule/reverse_compute_at.h"
#include "ardea/schedule/split.h"
#include "ardea/schedule/transform_layout.h"

namespace ardea::recipes {

using namespace schedule;

namespace {

/// Products that one iteration of the innermost loop may hold, and should hold where the loop is long.
constexpr std::int64_t most_unrolled_products = 512, wanted_products = 96;

/// Writes out the innermost loops of the sum: all that fit whole, or a part of the first one.
void unroll_sum(Schedule& s, const std::vector<LoopRef>& reduced, const std::vector<std::int64_t>& extents,
                std::int64_t products) {
  for (std::size_t i = reduced.size(); i-- > 0; products *= extents[i]) {
    if (products * extents[i] <= most_unrolled_products) {
      s.apply(Unroll{reduced[i]});
      continue;
    }
    for (std::int64_t part = wanted_products / products; part > 1; --part) {
      if (extents[i] % part != 0) continue;
      s.apply(Unroll{s.loops(Split{reduced[i], {std::nullopt, part}})[1]});
      return;
    }
    return;
  }
}

}  // namespace

bool serves_conv_channels_last(const ops::Workload& workload, const target::Target& target) {
  const bool is_conv =
      workload.op == "c1d" || workload.op == "c2d" || workload.op == "c3d" || workload.op == "dil";
  return is_conv && is_float32_on_vectors(workload, target) && conv_sizes(workload).channels_last;
}

void schedule_conv_channels_last(Schedule& s, const ops::Workload& workload, const target::Target& target) {
  const ConvSizes sizes = conv_sizes(workload);
  const std::size_t rank = sizes.rank();
  const SumTile tile = choose_sum_tile(sizes.output.back(), sizes.output_channels, target);
  const std::int64_t panel = tile.vectors * lanes_of(target);
  const BlockRef sum = s.get_block("out");
  const std::string window = rank == 1 ? "q" : rank == 2 ? "p, q" : "r, p, q";
  // One panel that is whole is what the weights are already.
  std::optional<BlockRef> pack;
  if (sizes.output_channels != panel)
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
  s.apply(ReverseComputeAt{out, down[0], true});
  const BlockRef first = s.blocks(DecomposeReduction{sum, reduced[0]})[0];
  for (const BlockRef& block : {sum, first, out}) {
    const auto inner = s.get_loops(block);
    s.apply(Unroll{inner[inner.size() - 2]});
    s.apply(Vectorize{inner.back()});
  }
  std::vector<std::int64_t> extents = sizes.window;
  extents.push_back(sizes.input_channels);
  unroll_sum(s, reduced, extents, tile.rows * tile.vectors);
  if (pack) {
    s.apply(ComputeAt{*pack, right[0], true});
    s.apply(Vectorize{s.get_loops(*pack).back()});
  }
  if (sizes.pad > 0) {
    const auto padded = s.get_loops(s.get_block("data_padded"));
    s.apply(Vectorize{s.loops(Fuse{{padded[padded.size() - 2], padded.back()}})[0]});
  }
}

}  // namespace ardea::recipes
