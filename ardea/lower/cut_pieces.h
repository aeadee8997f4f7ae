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

/// The guards of a loop's body, each with its points.
using GuardPoints = std::vector<std::pair<Guard, std::vector<CutPoint>>>;
GuardPoints points_of(std::vector<Guard> guards, const For& loop, const arith::Analyzer& facts);

/// Everything that is decided by a cut at the point, not only what asked for it.
Cut cut_at(const Expr& point, const GuardPoints& guards);

/// The two parts of the range, each with what is decided there; the same variable in both. A point that may
/// lie outside of the range is clamped.
std::pair<For, For> pieces(const For& loop, const Cut& cut, const arith::Analyzer& facts);

}  // namespace ardea::lower
