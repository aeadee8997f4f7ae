#pragma once

#include <optional>

#include "ardea/rules/analysis/stage.h"
#include "ardea/rules/scratchpad/matrix_unit.h"

/// Sums of products that a matrix unit can compute, found by their index expressions.

namespace ardea::rules {

/// sums[…, column] += left[…, depth] · right[…, depth, column], dimensions in any order. Of the iterators one
/// is the unit's columns, one its depth and, where it has rows, one these; all others run outside of it:
/// batches, places of windows, and the taps of a window, which reduce.
struct UnitProduct {
  schedule::BlockRef sums;
  /// That takes the sums to memory as a narrower type, and does nothing else.
  std::optional<schedule::BlockRef> narrowed = {};
  Stage stage;  ///< of the sums
  Load left, right;
  std::int64_t left_read = 0, right_read = 1;  ///< their places among what the block reads
  std::optional<std::size_t> row = {};         ///< iterators
  std::size_t column = 0, depth = 0;

  /// How much of an iterator the unit takes at once.
  std::int64_t taken(const MatrixUnit& unit, std::size_t iterator) const;
  /// Of an axis that the unit has.
  std::size_t iterator(UnitAxis axis) const;
  std::int64_t padded(const MatrixUnit& unit, std::size_t iterator) const;
  /// The iterators that make results and those that reduce, without what the unit takes as columns and depth.
  std::vector<std::size_t> rows() const, taps() const;
};

/// The product of which the stage makes the result, on the unit; nothing where there is none, or where the
/// unit cannot do it.
std::optional<UnitProduct> unit_product(const Function& program, const schedule::BlockRef& stage,
                                        const MatrixUnit& unit);

/// The dimension of a tile's access that is the iterator alone; nothing where others have part in it.
std::optional<std::size_t> plain_dimension(const std::vector<Expr>& indices, const Var& iterator);

}  // namespace ardea::rules
