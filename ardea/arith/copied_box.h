#pragma once

#include <optional>
#include <vector>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/box_copy.h"
#include "ardea/ir/stmt.h"

namespace ardea::arith {

/// The extents of an array that a unit may copy of: numbers, of elements that lie row-major. Nothing of
/// others.
std::optional<std::vector<std::int64_t>> extents_for_unit(const Buffer& array);

/// Elements of an array, at indices that move with `row` and `column` from 0 on, as a box of it: where the
/// box begins, and the array as it is seen. The box's own rows and columns are the caller's. Where
/// `condition` does not hold, which may be undefined, 0 is meant: it must hold wherever the array has an
/// element. Nothing where that is not proved, where the elements are no box, or where an extent of the array
/// is no number.
std::optional<BoxCopy> copied_box(const Buffer& array, const std::vector<Expr>& indices,
                                  const Expr& condition, const Var& row, const Var& column,
                                  const Analyzer& facts);

}  // namespace ardea::arith
