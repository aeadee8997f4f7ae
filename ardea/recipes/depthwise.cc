#include "ardea/recipes/depthwise.h"

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

/// Products in one iteration of the innermost loop: code that stays in the instruction cache.
constexpr std::int64_t most_unrolled_products = 512;

/// As many sums at a time as a quarter of the registers holds: the window's weights, and what is loaded, need
/// the others. Fewer, where that leaves no rest.
std::int64_t sums_at_a_time(std::int64_t extent, const target::Target& target) {
  const std::int64_t most = std::min<std::int64_t>(extent, std::max(target.vector_registers / 4, 2));
  for (std::int64_t sums = most; 2 * sums > most; --sums)
    if (extent % sums == 0) return sums;
  return most;
}

/// Output rows for which the input is padded at a time, so that it stays in half of a cache.
std::int64_t padded_rows(const ConvSizes& sizes, std::int64_t row_bytes, std::int64_t multiple, int level,
                         const target::Target& target) {
  const target::Cache* cache = target.cache(level);
  const std::int64_t all = sizes.output[0];
  if (cache == nullptr) return all;
  for (std::int64_t rows = all; rows > 0; --rows)
    if (all % rows == 0 && rows % multiple == 0 && row_bytes * sizes.input_rows(0, rows) <= cache->bytes / 2)
      return rows;
  return all;
}

/// The sum over the window in registers: rows written out, the last loop as lanes.
void keep_sums_in_registers(Schedule& s, const BlockRef& sum, const BlockRef& out, const LoopRef& around,
                            const LoopRef& reduced, std::size_t row_from_the_end) {
  s.apply(ReverseComputeAt{out, around, true});
  const BlockRef first = s.blocks(DecomposeReduction{sum, reduced})[0];
  for (const BlockRef& block : {sum, first}) {
    const auto inner = s.get_loops(block);
    s.apply(Unroll{inner[inner.size() - 2]});
    s.apply(Vectorize{inner.back()});
  }
  const auto results = s.get_loops(out);
  s.apply(Unroll{results[results.size() - row_from_the_end]});
  s.apply(Vectorize{results.back()});
}

void unroll_window(Schedule& s, const ConvSizes& sizes, const LoopRef& rows, const LoopRef& columns,
                   std::int64_t sums) {
  if (sums * sizes.window[1] <= most_unrolled_products) s.apply(Unroll{columns});
  if (sums * sizes.taps() <= most_unrolled_products) s.apply(Unroll{rows});
}

void schedule_channels_first(Schedule& s, const ConvSizes& sizes, const target::Target& target) {
  const BlockRef sum = s.get_block("out");
  const std::int64_t step = sizes.stride, height = sizes.output[0];
  std::optional<BlockRef> copy;
  if (sizes.pad > 0) copy = s.get_block("data_padded");
  if (step > 1) {
    const auto packed =
        s.blocks(TransformLayout{sum,
                                 {sizes.source()},
                                 fmt::format("lambda n, c, y, x: (n, c, y, x % {0}, x // {0})", step),
                                 copy ? std::nullopt : std::optional<double>(0.0)});
    if (!copy) copy = packed.at(0);
  }
  const BlockRef out = s.blocks(CacheWrite{sum, 0, "register"})[0];
  const auto loops = s.get_loops(sum);  // n, c, h, w, kh, kw
  const std::int64_t sums = sums_at_a_time(height, target);
  const auto down = s.loops(Split{loops[2], {std::nullopt, sums}});
  const auto right = s.loops(Split{loops[3], {std::nullopt, lanes_of(target)}});
  s.apply(Reorder{{loops[0], loops[1], down[0], right[0], loops[4], loops[5], down[1], right[1]}});
  keep_sums_in_registers(s, sum, out, right[0], loops[4], 2);
  unroll_window(s, sizes, loops[4], loops[5], sums);
  if (!copy) return;
  s.apply(ComputeAt{*copy, loops[1], true});
  const LoopRef columns = s.get_loops(*copy).back();
  if (step == 1 || sizes.pad == 0) {
    s.apply(Vectorize{columns});
    return;
  }
  const auto parts = s.loops(Split{columns, {std::nullopt, step}});
  s.apply(Reorder{{parts[1], parts[0]}});
  s.apply(Unroll{parts[1]});
  s.apply(Vectorize{parts[0]});
}

void schedule_channels_last(Schedule& s, const ConvSizes& sizes, const target::Target& target) {
  const BlockRef sum = s.get_block("out");
  const BlockRef out = s.blocks(CacheWrite{sum, 0, "register"})[0];
  const auto loops = s.get_loops(sum);  // n, h, w, c, kh, kw
  const std::int64_t sums = sums_at_a_time(sizes.output[1], target);
  const std::int64_t row_bytes = 4 * sizes.output_channels * sizes.output[1] * sizes.stride;
  const std::int64_t rows = padded_rows(sizes, row_bytes, 1, 2, target);
  const auto block = s.loops(Split{loops[1], {std::nullopt, rows}});
  const auto down = s.loops(Split{loops[2], {std::nullopt, sums}});
  const auto right = s.loops(Split{loops[3], {std::nullopt, lanes_of(target)}});
  s.apply(Reorder{{loops[0], block[0], block[1], down[0], right[0], loops[4], loops[5], down[1], right[1]}});
  keep_sums_in_registers(s, sum, out, right[0], loops[4], 2);
  unroll_window(s, sizes, loops[4], loops[5], sums);
  if (sizes.pad == 0) return;
  const BlockRef pad = s.get_block("data_padded");
  s.apply(ComputeAt{pad, block[0], true});
  s.apply(Vectorize{s.get_loops(pad).back()});
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
