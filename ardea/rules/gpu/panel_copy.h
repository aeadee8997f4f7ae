#pragma once

#include <cstdint>

#include "ardea/rules/gpu/implicit_product.h"
#include "ardea/support/data_type.h"

namespace ardea::rules {

/// What panels of a factor are to a unit that copies, and of which threads know nothing: boxes of an array
/// (ir/box_copy.h), where its rows or columns are some of the array's, one behind the other; or what windows
/// see of images (ir/window_copy.h), where a panel's columns are channels at one place of a window.
enum class UnitSource { none, boxes, windows };

/// How the warps of a block bring a panel of a factor to shared memory: each copies runs of some of its rows,
/// a thread so many elements of one at once.
struct PanelCopy {
  bool is_deep = false;  ///< its rows are as long as the panel is deep, else as the block's tile is wide
  std::int64_t lanes = 1, run = 1;
  /// What lies side by side in memory are different rows, so that threads side by side copy of as many.
  bool is_along_rows = false;
  bool turns = false;             ///< what are its rows in memory are columns in shared memory
  std::int64_t kept_numbers = 1;  ///< that a thread keeps of each row it copies of, from panel to panel
  UnitSource of_unit = UnitSource::none;

  std::int64_t threads_of_row() const { return run / lanes; }
  std::int64_t rows_of_warp(std::int64_t warp_threads) const { return warp_threads / threads_of_row(); }

  /// Accesses of one thread to a panel that so many warps share.
  std::int64_t accesses(std::int64_t width, std::int64_t depth, std::int64_t warps,
                        std::int64_t warp_threads) const {
    return width * depth / (lanes * warps * warp_threads);
  }

  /// Of a panel that is so deep.
  PanelCopy of_depth(std::int64_t depth) const;

  /// Whether so many warps share a panel evenly that is as deep, and as wide along the other side.
  bool is_shared_evenly(std::int64_t width, std::int64_t depth, std::int64_t warps,
                        std::int64_t warp_threads) const;
};

/// Of rows that are as long as a panel is deep: runs of a whole warp, of the deepest panels, or of several
/// rows where these lie side by side in memory.
PanelCopy copy_of_deep_rows(const MatrixSource& source, std::int64_t lanes, std::int64_t warp_threads);

/// Of rows of so many columns: runs of whole lines of memory, where there are as many.
PanelCopy copy_of_columns(std::int64_t columns, std::int64_t lanes, std::int64_t warp_threads);

/// So many elements are moved at once of rows that are multiples of `row` elements long.
std::int64_t copied_lanes(std::int64_t row, DataType type);

}  // namespace ardea::rules
