#pragma once

#include "ardea/rules/analysis/stage.h"

namespace ardea::rules {

/// Stages that go through the same rows one after the other, each row for itself: what is made of a row is
/// one number (a reduction along it, or something of such numbers) or a row again, of reductions of its parts
/// among others.
struct RowNest {
  std::vector<Stage> stages;  ///< in the program's order
  std::size_t axes = 1;       ///< the first loops of all stages: which row
  Load row;                   ///< what the first reduction goes along
  std::size_t anchor = 0;     ///< the first stage that others read, too
  std::int64_t rows() const;  ///< of all axes; typical ones where only a call knows them
  std::int64_t extent = 1;    ///< of the longest row that is reduced, or part of one
  std::int64_t lanes = 1;     ///< of the shortest last axis of one: what vectors go along
  std::size_t sums() const;   ///< stages that reduce
  std::vector<schedule::BlockRef> blocks() const;
  /// Whether it makes a row of numbers: one of each part of the row that it goes along.
  bool reduces_parts(const Stage& stage) const;
};

/// The nest whose last stage is the block. Nothing where no stage reduces, or where a reduction reads nothing
/// that no other row reads, one element after the other: then the rows are no streams.
std::optional<RowNest> row_nest_to(const Function& program, const schedule::BlockRef& last);

}  // namespace ardea::rules
