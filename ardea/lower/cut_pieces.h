#pragma once

#include <utility>
#include <vector>

#include "ardea/lower/cut_points.h"

/// A loop in two parts, each with what is decided there.

namespace ardea::lower {

/// A place to cut a loop, and the comparisons of its body that are decided on both sides of it.
struct Cut {
  Expr point;
  std::vector<std::pair<Expr, bool>> below = {}, from = {};
};

/// Everything that is decided by a cut at the point, not only what asked for it. `guards` are those of the
/// loop's body.
Cut cut_at(const Expr& point, const std::vector<Guard>& guards, const For& loop,
           const arith::Analyzer& facts);

/// The two parts of the range, each with what is decided there; the same variable in both. A point that may
/// lie outside of the range is clamped.
std::pair<For, For> pieces(const For& loop, const Cut& cut, const arith::Analyzer& facts);

}  // namespace ardea::lower
