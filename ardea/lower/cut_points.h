#pragma once

#include <optional>
#include <vector>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/stmt.h"

/// Where in the range of a loop the conditions in its body are decided.

namespace ardea::lower {

/// A comparison that a statement of the loop's body depends on, as a node of that body.
struct Guard {
  Expr comparison;
  std::vector<Var> inner;     ///< the loops between the loop and the guard, whose variables it may use
  std::vector<Var> repeated;  ///< those of them that neither become lanes nor are written out
  arith::Analyzer facts;   ///< the ranges of the loops and the lets around it, but no conditions in the body
  bool is_likely = false;  ///< stands under T.likely
};

/// The comparisons of every `if` in `body` that is worth deciding: its branches hold no serial or parallel
/// loop, so that it is asked in an innermost place, or around the lanes or copies of one. `facts` hold in the
/// body. With `of_values` also those that choose a value, in T.if_then_else.
std::vector<Guard> guards_in(const Stmt& body, const arith::Analyzer& facts, bool of_values = false);

/// What is known of a comparison in the iterations below `point`, and in those from there on; absent where it
/// depends on the inner loops.
struct CutPoint {
  Expr point;  ///< over what is defined outside of the loop
  std::optional<bool> below, from;
};

/// The ends of the ranges of `loop` in which the guard is true, and in which it is false. It must compare
/// int64 values in which the loop's variable has a constant coefficient. What `outer` facts show to be
/// outside of the loop's range is left out; other points may be, so that they must be clamped.
std::vector<CutPoint> cut_points(const Guard& guard, const For& loop, const arith::Analyzer& outer);

}  // namespace ardea::lower
