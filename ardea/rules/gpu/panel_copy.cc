#include "ardea/rules/gpu/panel_copy.h"

#include <algorithm>

namespace ardea::rules {

namespace {

/// The widest access.
constexpr std::int64_t access_bytes = 16;

/// Of rows that lie side by side in memory a warp copies as many; of others so many columns, at least the
/// fewer.
constexpr std::int64_t rows_side_by_side = 16, line_columns = 64, least_columns = 16;

}  // namespace

PanelCopy PanelCopy::of_depth(std::int64_t depth) const {
  PanelCopy copy = *this;
  if (is_deep) copy.run = std::min(run, depth);
  return copy;
}

bool PanelCopy::is_shared_evenly(std::int64_t width, std::int64_t depth, std::int64_t warps,
                                 std::int64_t warp_threads) const {
  const PanelCopy one = of_depth(depth);
  const std::int64_t rows = is_deep ? width : depth, columns = is_deep ? depth : width;
  return rows % (warps * one.rows_of_warp(warp_threads)) == 0 && columns % one.run == 0;
}

PanelCopy copy_of_deep_rows(const MatrixSource& source, std::int64_t lanes, std::int64_t warp_threads) {
  const std::int64_t threads_of_row = warp_threads / (source.along_rows ? rows_side_by_side : 1);
  return {.is_deep = true, .lanes = lanes, .run = threads_of_row * lanes, .is_along_rows = source.along_rows};
}

PanelCopy copy_of_columns(std::int64_t columns, std::int64_t lanes, std::int64_t warp_threads) {
  std::int64_t run = std::min(line_columns, warp_threads * lanes);
  while (run > least_columns && run > columns) run /= 2;
  return {.lanes = lanes, .run = run};
}

std::int64_t copied_lanes(std::int64_t row, DataType type) {
  std::int64_t lanes = access_bytes / type.bytes();
  while (row % lanes != 0) lanes /= 2;
  return lanes;
}

}  // namespace ardea::rules
