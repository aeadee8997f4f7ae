#pragma once

#include "ardea/rules/analysis/windowed_sum.h"
#include "ardea/rules/model/register_tiles.h"

/// How a sum over windows with channels first should be cut, where places are the lanes of vectors.

namespace ardea::rules {

struct WindowPlan {
  /// Rows follow each other without gaps, so that vectors run from one into the next: the data is copied
  /// once for each column of the window. Otherwise a row ends with a vector that may not be full.
  bool joins_rows = false;
  std::int64_t rows = 1;  ///< of the result, for which the data is copied at a time
  SumTile tile;
};

/// The best one.
WindowPlan choose_window_plan(const WindowedSum& sum, const target::Target& target);
/// The best that joins rows, or does not.
WindowPlan choose_window_plan(const WindowedSum& sum, bool joins_rows, const target::Target& target);

/// Whether the rows that some rows of the result need can be copied by themselves: of a volume they belong to
/// several results, and places that a stride leaves unused are filled by nobody.
bool can_copy_some_rows(const WindowedSum& sum, bool joins_rows);

/// How many channels of the data should at most be summed at a time, where the copy of joined rows is more
/// than the second cache holds: what a tile of places reads of them then stays in the first cache while tiles
/// of channels use it.
std::optional<std::int64_t> inputs_at_a_time(const WindowedSum& sum, const WindowPlan& plan,
                                             const target::Target& target);

/// Whether the data is read where it is, in the order in which it lies.
bool is_pointwise(const WindowedSum& sum);

}  // namespace ardea::rules
