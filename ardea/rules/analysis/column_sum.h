#pragma once

#include "ardea/rules/analysis/stage.h"

/// Reductions whose results lie side by side in memory: windows of images, sums down columns.

namespace ardea::rules {

/// What a reduction reads, element by element.
struct ColumnSource {
  Buffer buffer;
  std::int64_t stride = 0;                  ///< of neighbouring results; 0 where all read the same
  std::optional<schedule::BlockRef> maker;  ///< makes it for this reduction alone, element by element
};

/// A reduction whose last axis that makes elements is a vector: each of its operands is read side by side
/// along it, a few apart, or the same for all.
struct ColumnSum {
  Stage sum;
  std::optional<Stage> last;  ///< what alone is made of its results, one by one
  std::vector<ColumnSource> sources;
  std::vector<std::size_t> moved;  ///< axes along which a window moves
  /// The iterator that reduces along which windows of neighbours in the last axis but one overlap, where
  /// others reduce, too: what these make of a line of a window, other windows need as well.
  std::optional<std::size_t> overlapping;
  std::int64_t shared_lines = 0;  ///< of a window with its neighbour, along that
  /// The iterator that reduces along the last axis of what is read, where others reduce, too, and results
  /// that lie side by side are some apart there: what the others make of a column of a window is made in the
  /// order of what is read, and only then taken apart.
  std::optional<std::size_t> across;
};

/// The one whose last stage is the block; nothing where that is another one. Sums of products are taken
/// alone: what is made of them is for the rules that know products.
std::optional<ColumnSum> column_sum_to(const Function& program, const schedule::BlockRef& block);

}  // namespace ardea::rules
