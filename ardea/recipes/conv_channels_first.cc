#include "ardea/recipes/conv_channels_first.h"

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
#include "ardea/schedule/primitives/memory/reindex.h"
#include "ardea/schedule/primitives/memory/transform_layout.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/place/compute_inline.h"
#include "ardea/schedule/primitives/place/reverse_compute_inline.h"
#include "ardea/support/ceil_div.h"

namespace ardea::recipes {

using namespace schedule;

namespace {

/// What the recipe decides.
struct Plan {
  /// Rows follow each other without gaps, so that vectors run from one into the next: the input is copied
  /// once for each column of the window. Otherwise a row ends with a vector that may not be full.
  bool joins_rows = false;
  std::int64_t rows = 1;  ///< of the output, for which the input is copied at a time
  SumTile tile;
};

/// What it costs to copy a vector of neighbours, or each number of one where a stride takes them apart.
constexpr double products_a_copied_vector = 6, products_a_copied_number = 2;

/// Steps of one output row that copying the input takes, an input channel, in the unit of SumTile::cost.
double copy_cost(const ConvSizes& sizes, std::int64_t row, const target::Target& target) {
  const auto lanes = static_cast<double>(lanes_of(target));
  const double vectors = static_cast<double>(ceil_div(row, lanes_of(target)));
  return vectors * (sizes.stride == 1 ? products_a_copied_vector : products_a_copied_number * lanes);
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
  const std::int64_t planes = sizes.rank() == 3 ? sizes.window[0] : 1, taps_of_plane = sizes.taps() / planes;
  const auto taps = static_cast<double>(taps_of_plane);
  const auto input_rows = static_cast<double>(sizes.input_rows(d, rows));
  const double cost_by_row = taps * by_row.tile.cost * static_cast<double>(rows) +
                             input_rows * copy_cost(sizes, columns * sizes.stride, target);
  const double cost_joined = taps * joined.tile.cost + input_rows * static_cast<double>(window_columns) *
                                                           copy_cost(sizes, columns, target);
  Plan plan = cost_joined < cost_by_row ? joined : by_row;
  const std::int64_t tile_columns = plan.joins_rows ? plan.tile.vectors * lanes_of(target) : 1;
  const std::int64_t row_bytes =
      float32.bytes() * sizes.input_channels * columns * (plan.joins_rows ? window_columns : sizes.stride);
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

/// Only the border of a padded image asks whether it is one.
void cut_at_border(Schedule& s, const ConvSizes& sizes, const LoopRef& rows) {
  if (sizes.pad > 0) s.apply(Pragma{rows, "loop_partition_hint", Argument(true)});
}

/// The copy that joins rows: one image for each column of the window.
void arrange_joining_copy(Schedule& s, const BlockRef& copy, const ConvSizes& sizes) {
  const auto loops = s.get_loops(copy);  // …, the rows', columns, channels, the window's columns
  const std::size_t count = loops.size();
  const LoopRef &columns = loops[count - 3], &channels = loops[count - 2], &window = loops[count - 1];
  std::vector<LoopRef> order = {channels, window};
  for (std::size_t i = count - 2 - sizes.rank(); i < count - 3; ++i) order.push_back(loops[i]);
  order.push_back(columns);
  s.apply(Reorder{order});
  s.apply(Unroll{window});  // which columns lie outside is then known of each
  s.apply(Vectorize{columns});
  cut_at_border(s, sizes, loops[count - 4]);
}

/// The copy that pads rows, and brings columns together that a stride takes apart.
void arrange_row_copy(Schedule& s, const BlockRef& copy, const ConvSizes& sizes) {
  const auto loops = s.get_loops(copy);
  if (sizes.stride == 1 || sizes.pad == 0) {
    s.apply(Vectorize{loops.back()});
  } else {
    const auto columns = s.loops(Split{loops.back(), {std::nullopt, sizes.stride}});
    s.apply(Reorder{{columns[1], columns[0]}});
    s.apply(Unroll{columns[1]});
    s.apply(Vectorize{columns[0]});
  }
  if (sizes.rank() > 1) cut_at_border(s, sizes, loops[loops.size() - 2]);
}

/// Results are written from the registers to where they belong.
BlockRef arrange_output(Schedule& s, const BlockRef& sum, const ConvSizes& sizes, const Plan& plan) {
  if (!plan.joins_rows) return s.blocks(CacheWrite{sum, 0, "register"})[0];
  const std::string map = layout(sizes, fmt::format("y * {} + x", sizes.output.back()));
  const BlockRef apart = s.blocks(TransformLayout{sum, {"out"}, map})[0];
  const BlockRef out = s.blocks(CacheWrite{sum, 0, "register"})[0];
  s.apply(ReverseComputeInline{apart});
  return out;
}

/// The loops around a tile, and those that reduce.
struct Nest {
  std::optional<LoopRef> parts, rows;  ///< for which the input is copied; inside a part, where not joined
  LoopRef columns, channels;           ///< tiles
  std::vector<LoopRef> reduced;
};

Nest tile(Schedule& s, const BlockRef& sum, const ConvSizes& sizes, const Plan& plan,
          const target::Target& target) {
  const std::size_t rank = sizes.rank();
  const auto loops = s.get_loops(sum);  // n, co, the spatial ones, ci, the window's
  const LoopRef& channels = loops[1];
  LoopRef columns = loops[1 + rank];
  Nest nest;
  nest.reduced.assign(loops.begin() + static_cast<std::ptrdiff_t>(rank) + 2, loops.end());
  std::vector<LoopRef> order = {loops[0]};
  if (rank == 3) order.push_back(loops[2]);
  if (rank > 1) {
    const auto rows = s.loops(Split{loops[rank], {std::nullopt, plan.rows}});
    nest.parts = rows[0];
    order.push_back(rows[0]);
    if (plan.joins_rows) {
      s.apply(Reorder{{rows[0], channels, rows[1], columns}});
      columns = s.loops(Fuse{{rows[1], columns}})[0];
    } else {
      nest.rows = rows[1];
      order.push_back(rows[1]);
    }
  }
  const auto right = s.loops(Split{columns, {std::nullopt, plan.tile.vectors * lanes_of(target)}});
  const auto down = s.loops(Split{channels, {std::nullopt, plan.tile.rows}});
  nest.columns = right[0];
  nest.channels = down[0];
  order.insert(order.end(), {right[0], down[0]});
  order.insert(order.end(), nest.reduced.begin(), nest.reduced.end());
  order.insert(order.end(), {down[1], right[1]});
  s.apply(Reorder{order});
  return nest;
}

/// The loop whose iterations the cores share. Tiles of joined rows end within rows, of which no proof says
/// that they stay apart; tiles of channels do.
LoopRef shared_loop(const Nest& nest, const ConvSizes& sizes, const Plan& plan) {
  if (nest.parts && plan.rows < sizes.output[sizes.rank() - 2]) return *nest.parts;
  return nest.rows ? *nest.rows : nest.channels;
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
  const BlockRef sum = s.get_block("out");
  const std::optional<BlockRef> copy = arrange_input(s, sum, sizes, plan);
  const BlockRef out = arrange_output(s, sum, sizes, plan);
  const Nest nest = tile(s, sum, sizes, plan, target);
  const std::size_t rank = sizes.rank();
  // Of the results' loops, rows are n, co and the spatial ones, joined or not.
  keep_in_registers(s, {sum, out}, nest.channels, nest.reduced[0], plan.joins_rows ? rank : rank + 1);
  std::vector<std::int64_t> extents = sizes.window;
  extents.insert(extents.begin(), sizes.input_channels);
  unroll_sum(s, nest.reduced, extents, plan.tile.rows * plan.tile.vectors);
  if (copy) {
    if (nest.parts && plan.rows < sizes.output[rank - 2]) s.apply(ComputeAt{*copy, *nest.parts, true});
    if (plan.joins_rows)
      arrange_joining_copy(s, *copy, sizes);
    else
      arrange_row_copy(s, *copy, sizes);
  }
  if (target.cores > 1) s.apply(Parallel{shared_loop(nest, sizes, plan)});
}

}  // namespace ardea::recipes
