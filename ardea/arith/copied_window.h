#pragma once

#include <optional>
#include <vector>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/stmt.h"
#include "ardea/ir/window_copy.h"

namespace ardea::arith {

/// Elements of an array of images, channels last, at indices that move with `row` and `column` from 0 on, as
/// what windows see of it: rows are windows in their order, columns channels. How many rows and columns there
/// are is the caller's. Where `condition` does not hold, which may be undefined, 0 is meant: it must hold
/// wherever the window's element is in the array. Nothing where that is not proved, where an extent of the
/// array is no number, or where the unit counts no so far corners or taps (window_limits).
std::optional<WindowCopy> copied_window(const Buffer& array, const std::vector<Expr>& indices,
                                        const Expr& condition, const Var& row, const Var& column,
                                        const Analyzer& facts);

}  // namespace ardea::arith
