#include "ardea/rules/model/window_plan.h"

#include <algorithm>

#include "ardea/support/ceil_div.h"

namespace ardea::rules {

namespace {

/// What it costs to copy a vector of neighbours, or each number of one where a stride takes them apart.
constexpr double products_a_copied_vector = 6, products_a_copied_number = 2;

/// Steps of one row that copying the data takes, for a channel of it, in the unit of SumTile::cost.
double copy_cost(const WindowedSum& sum, std::int64_t row, const target::Target& target) {
  const auto lanes = static_cast<double>(lanes_of(target));
  const double vectors = static_cast<double>(ceil_div(row, lanes_of(target)));
  const bool are_neighbours = sum.axes.back().stride == 1;
  return vectors * (are_neighbours ? products_a_copied_vector : products_a_copied_number * lanes);
}

/// As many rows as can be copied into half of the second cache, if whole tiles fill them; else all.
std::int64_t rows_at_a_time(const WindowedSum& sum, std::int64_t row_bytes, std::int64_t tile_columns,
                            const target::Target& target) {
  const WindowAxis& down = sum.axes[sum.rank() - 2];
  const std::int64_t all = down.places, columns = sum.axes.back().places;
  const target::Cache* cache = target.cache(2);
  if (cache == nullptr) return all;
  for (std::int64_t rows = all; rows > 0; --rows) {
    const bool fits = row_bytes * down.reach(rows) <= cache->bytes / 2;
    if (fits && all % rows == 0 && rows * columns % tile_columns == 0) return rows;
  }
  return all;
}

/// Of all rows, copying included.
double cost_of_plan(const WindowedSum& sum, const WindowPlan& plan, const target::Target& target) {
  const WindowAxis &down = sum.axes[sum.rank() - 2], &right = sum.axes.back();
  const std::int64_t planes = sum.rank() == 3 ? sum.axes[0].taps : 1, plane_taps = sum.taps() / planes;
  const auto taps = static_cast<double>(plane_taps);
  const auto input_rows = static_cast<double>(down.reach(down.places));
  if (plan.joins_rows)
    return taps * plan.tile.cost +
           input_rows * static_cast<double>(right.taps) * copy_cost(sum, right.places, target);
  return taps * plan.tile.cost * static_cast<double>(down.places) +
         input_rows * copy_cost(sum, right.places * right.stride, target);
}

}  // namespace

bool can_copy_some_rows(const WindowedSum& sum, bool joins_rows) {
  if (sum.rank() != 2) return false;
  const WindowAxis& divided = sum.axes[joins_rows ? 0 : 1];
  return divided.stride == 1 || divided.reach(divided.places) % divided.stride == 0;
}

std::optional<std::int64_t> inputs_at_a_time(const WindowedSum& sum, const WindowPlan& plan,
                                             const target::Target& target) {
  const target::Cache *first = target.cache(1), *second = target.cache(2);
  if (!plan.joins_rows || first == nullptr || second == nullptr) return std::nullopt;
  const WindowAxis &down = sum.axes[sum.rank() - 2], &right = sum.axes.back();
  std::int64_t copied = sum.inputs() * right.taps * down.reach(down.places) * right.places * float32.bytes();
  if (sum.rank() == 3) copied *= sum.axes[0].reach(sum.axes[0].places);
  if (copied <= second->bytes * 3 / 4) return std::nullopt;
  const std::int64_t of_a_channel = sum.taps() * plan.tile.vectors * lanes_of(target) * float32.bytes();
  return std::max<std::int64_t>(first->bytes * 3 / 8 / of_a_channel, 1);
}

bool is_pointwise(const WindowedSum& sum) {
  return sum.taps() == 1 && !sum.has_border &&
         std::all_of(sum.axes.begin(), sum.axes.end(), [](const WindowAxis& a) { return a.stride == 1; });
}

WindowPlan choose_window_plan(const WindowedSum& sum, bool joins_rows, const target::Target& target) {
  const std::int64_t columns = sum.axes.back().places;
  if (sum.rank() < 2) return {.tile = choose_sum_tile(sum.group, columns, target)};
  const std::int64_t rows = sum.axes[sum.rank() - 2].places;
  WindowPlan plan{.joins_rows = joins_rows,
                  .rows = rows,
                  .tile = choose_sum_tile(sum.group, joins_rows ? rows * columns : columns, target)};
  if (!can_copy_some_rows(sum, joins_rows)) return plan;
  const WindowAxis& right = sum.axes.back();
  const std::int64_t tile_columns = joins_rows ? plan.tile.vectors * lanes_of(target) : 1;
  const std::int64_t row_bytes =
      float32.bytes() * sum.inputs() * columns * (joins_rows ? right.taps : right.stride);
  plan.rows = rows_at_a_time(sum, row_bytes, tile_columns, target);
  return plan;
}

WindowPlan choose_window_plan(const WindowedSum& sum, const target::Target& target) {
  const WindowPlan by_row = choose_window_plan(sum, false, target);
  if (sum.rank() < 2) return by_row;
  const WindowPlan joined = choose_window_plan(sum, true, target);
  return cost_of_plan(sum, joined, target) < cost_of_plan(sum, by_row, target) ? joined : by_row;
}

}  // namespace ardea::rules
