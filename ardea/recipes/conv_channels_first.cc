#include "ardea/recipes/conv_channels_first.h"

#include <fmt/core.h>

#include "ardea/recipes/conv_sizes.h"
#include "ardea/recipes/register_tiles.h"
#include "ardea/schedule/cache_write.h"
#include "ardea/schedule/compute_at.h"
#include "ardea/schedule/compute_inline.h"
#include "ardea/schedule/decompose_reduction.h"
#include "ardea/schedule/fuse.h"
#include "ardea/schedule/mark.h"
#include "ardea/schedule/reindex.h"
#include "ardea/schedule/reorder.h"
#include "ardea/schedule/reverse_compute_at.h"
#include "ardea/schedule/reverse_compute_inline.h"
#include "ardea/schedule/split.h"
#include "ardea/schedule/transform_layout.h"

namespace ardea::recipes {

using namespace schedule;

namespace {

/// Products that one iteration of the innermost loop may hold: code that stays in the instruction cache, and
/// in the cache of decoded instructions where there is one.
constexpr std::int64_t most_unrolled_products = 512;

/// What the recipe decides.
struct Plan {
  /// Rows follow each other without gaps, so that vectors run from one into the next: the input is copied
  /// once for each column of the window. Otherwise a row ends with a vector that may not be full.
  bool joins_rows = false;
  std::int64_t rows = 1;  ///< of the output, for which the input is copied at a time
  SumTile tile;
};

/// Steps of one output row that copying the input takes, an input channel, in the unit of SumTile::cost.
double copy_cost(const ConvSizes& sizes, std::int64_t row, const target::Target& target) {
  const auto lanes = static_cast<double>(lanes_of(target));
  const double vectors = static_cast<double>(divide_up(row, lanes_of(target)));
  return vectors * (sizes.stride == 1 ? 6 : 2 * lanes);  // of strides only single numbers are moved
}

/// As many rows as can be copied into half of the second cache, if whole tiles fill them; else all.
std::int64_t rows_at_a_time(const ConvSizes& sizes, std::int64_t row_bytes, std::int64_t tile_columns,
                            const target::Target& target) {
  const std::size_t d = sizes.rank() - 2;
  const std::int64_t all = sizes.output[d], columns = sizes.output[d + 1];
  const target::Cache* cache = target.cache(2);
  if (cache == nullptr) return all;
  for (std::int64_t rows = all; rows > 0; --rows) {
    const bool fits = row_bytes * sizes.input_rows(d, rows) <= cache->bytes / 2;
    if (fits && all % rows == 0 && rows * columns % tile_columns == 0) return rows;
  }
  return all;
}

/// Whether the rows that some output rows need can be copied by themselves: of a volume they belong to
/// several results, and places that a stride leaves unused are filled by nobody.
bool can_copy_rows(const ConvSizes& sizes, const Plan& plan) {
  if (sizes.rank() != 2) return false;
  const std::size_t divided = plan.joins_rows ? 0 : 1;
  return sizes.stride == 1 || sizes.input_rows(divided, sizes.output[divided]) % sizes.stride == 0;
}

Plan plan_for(const ConvSizes& sizes, const target::Target& target) {
  const std::int64_t columns = sizes.output.back(), channels = sizes.output_channels;
  const std::int64_t window_columns = sizes.window.back();
  Plan by_row{.tile = choose_sum_tile(channels, columns, target)};
  if (sizes.rank() < 2) return by_row;
  const std::size_t d = sizes.rank() - 2;
  const std::int64_t rows = sizes.output[d];
  by_row.rows = 1;
  Plan joined{.joins_rows = true, .tile = choose_sum_tile(channels, rows * columns, target)};
  const auto taps = static_cast<double>(sizes.taps() / (sizes.rank() == 3 ? sizes.window[0] : 1));
  const auto input_rows = static_cast<double>(sizes.input_rows(d, rows));
  const double cost_by_row = taps * by_row.tile.cost * static_cast<double>(rows) +
                             input_rows * copy_cost(sizes, columns * sizes.stride, target);
  const double cost_joined = taps * joined.tile.cost + input_rows * static_cast<double>(window_columns) *
                                                           copy_cost(sizes, columns, target);
  Plan plan = cost_joined < cost_by_row ? joined : by_row;
  const std::int64_t tile_columns = plan.joins_rows ? plan.tile.vectors * lanes_of(target) : 1;
  const std::int64_t row_bytes =
      4 * sizes.input_channels * columns * (plan.joins_rows ? window_columns : sizes.stride);
  plan.rows = can_copy_rows(sizes, plan) ? rows_at_a_time(sizes, row_bytes, tile_columns, target) : rows;
  return plan;
}

/// "lambda n, c, [z, ][y, ]x: (…)".
std::string layout(const ConvSizes& sizes, const std::string& columns_and_rows) {
  const std::string outer = sizes.rank() == 3 ? "z, " : "", rows = sizes.rank() > 1 ? "y, " : "";
  return fmt::format("lambda n, c, {0}{1}x: (n, c, {0}{2})", outer, rows, columns_and_rows);
}

bool is_pointwise(const ConvSizes& sizes) { return sizes.taps() == 1 && sizes.stride == 1 && sizes.pad == 0; }

/// The block that brings the input into the order in which the sum reads it, if that takes one.
std::optional<BlockRef> arrange_input(Schedule& s, const BlockRef& sum, const ConvSizes& sizes,
                                      const Plan& plan) {
  if (is_pointwise(sizes)) return {};
  const std::int64_t step = sizes.stride;
  std::optional<BlockRef> pad;
  if (sizes.pad > 0) pad = s.get_block("data_padded");
  if (plan.joins_rows) {
    const bool volume = sizes.rank() == 3;
    const BlockRef copy = s.blocks(Reindex{
        sum, {sizes.source()}, volume ? std::vector<std::int64_t>{2, 3} : std::vector<std::int64_t>{2}})[0];
    if (pad) s.apply(ComputeInline{*pad});
    // Output rows that follow each other read input rows that do so after a stride.
    const std::string rows = step == 1 ? "y" : fmt::format("y % {0}, y // {0}", step);
    const std::string map =
        fmt::format("lambda n, {0}y, x, c, q: (n, c, q, {0}{1}, x)", volume ? "z, " : "", rows);
    s.apply(TransformLayout{sum, {sizes.source() + "_reindex"}, map});
    return copy;
  }
  if (step == 1) return pad;
  const std::string rows = sizes.rank() > 1 ? "y, " : "";
  const std::string map = layout(sizes, fmt::format("{0}x % {1}, x // {1}", rows, step));
  const auto packed =
      s.blocks(TransformLayout{sum, {sizes.source()}, map, pad ? std::nullopt : std::optional<double>(0.0)});
  return pad ? pad : packed.at(0);
}

/// Vectors along the copy's columns. `loops` are its loops as they stand.
void arrange_copy(Schedule& s, const BlockRef& copy, const ConvSizes& sizes, const Plan& plan) {
  const auto loops = s.get_loops(copy);
  const std::size_t count = loops.size();
  if (plan.joins_rows) {
    const LoopRef columns = loops[count - 3], channels = loops[count - 2], window = loops[count - 1];
    std::vector<LoopRef> order = {channels, window};
    for (std::size_t i = count - 3 - (sizes.rank() - 1); i < count - 3; ++i) order.push_back(loops[i]);
    order.push_back(columns);
    s.apply(Reorder{order});
    s.apply(Unroll{window});  // which columns lie outside is then known of each
    s.apply(Vectorize{columns});
    return;
  }
  if (sizes.stride == 1) {
    s.apply(Vectorize{loops.back()});
    return;
  }
  if (sizes.pad > 0) {
    const auto columns = s.loops(Split{loops.back(), {std::nullopt, sizes.stride}});
    s.apply(Reorder{{columns[1], columns[0]}});
    s.apply(Unroll{columns[1]});
    s.apply(Vectorize{columns[0]});
    return;
  }
  s.apply(Vectorize{loops.back()});
}

}  // namespace

bool serves_conv_channels_first(const ops::Workload& workload, const target::Target& target) {
  const bool is_conv =
      workload.op == "c1d" || workload.op == "c2d" || workload.op == "c3d" || workload.op == "dil";
  return is_conv && is_float32_on_vectors(workload, target) && !conv_sizes(workload).channels_last;
}

void schedule_conv_channels_first(Schedule& s, const ops::Workload& workload, const target::Target& target) {
  const ConvSizes sizes = conv_sizes(workload);
  const Plan plan = plan_for(sizes, target);
  const std::size_t rank = sizes.rank();
  const BlockRef sum = s.get_block("out");
  const std::optional<BlockRef> copy = arrange_input(s, sum, sizes, plan);
  std::optional<BlockRef> unpack;
  if (plan.joins_rows)
    unpack = s.blocks(
        TransformLayout{sum, {"out"}, layout(sizes, fmt::format("y * {} + x", sizes.output.back()))})[0];
  const BlockRef out = s.blocks(CacheWrite{sum, 0, "register"})[0];
  if (unpack) s.apply(ReverseComputeInline{*unpack});

  const auto loops = s.get_loops(sum);  // n, co, the spatial ones, ci, the window's
  const LoopRef batch = loops[0], channels = loops[1], reduced = loops[2 + rank];
  const std::vector<LoopRef> window(loops.begin() + std::ssize(loops) - static_cast<std::ptrdiff_t>(rank),
                                    loops.end());
  LoopRef columns = loops[1 + rank];
  std::vector<LoopRef> order = {batch};
  std::optional<LoopRef> rows;
  if (rank == 3) order.push_back(loops[2]);
  if (rank > 1) {
    const auto parts = s.loops(Split{loops[rank], {std::nullopt, plan.rows}});
    rows = parts[0];
    order.push_back(parts[0]);
    if (plan.joins_rows) {
      s.apply(Reorder{{parts[0], channels, parts[1], columns}});
      columns = s.loops(Fuse{{parts[1], columns}})[0];
    } else {
      order.push_back(parts[1]);
    }
  }
  const auto right = s.loops(Split{columns, {std::nullopt, plan.tile.vectors * lanes_of(target)}});
  const auto down = s.loops(Split{channels, {std::nullopt, plan.tile.rows}});
  order.insert(order.end(), {right[0], down[0], reduced});
  order.insert(order.end(), window.begin(), window.end());
  order.insert(order.end(), {down[1], right[1]});
  s.apply(Reorder{order});
  s.apply(ReverseComputeAt{out, down[0], true});
  const BlockRef first = s.blocks(DecomposeReduction{sum, reduced})[0];
  for (const BlockRef& block : {sum, first}) {
    const auto inner = s.get_loops(block);
    s.apply(Unroll{inner[inner.size() - 2]});
    s.apply(Vectorize{inner.back()});
  }
  const auto results = s.get_loops(out);  // n, co, then columns, which may have rows around them
  s.apply(Unroll{
      results[results.size() - (plan.joins_rows ? 2 : 1 + rank) - (plan.joins_rows && rank == 3 ? 1 : 0)]});
  s.apply(Vectorize{results.back()});
  std::int64_t products = plan.tile.rows * plan.tile.vectors;
  for (std::size_t d = rank; d-- > 0;) {
    products *= sizes.window[d];
    if (products > most_unrolled_products) break;
    s.apply(Unroll{window[d]});
  }
  if (copy) {
    if (rows && plan.rows < sizes.output[rank - 2]) s.apply(ComputeAt{*copy, *rows, true});
    arrange_copy(s, *copy, sizes, plan);
  }
}

}  // namespace ardea::recipes
