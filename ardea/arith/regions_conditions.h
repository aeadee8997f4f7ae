#pragma once

#include <vector>

#include "ardea/ir/expr.h"

/// Conditions as lists of facts that regions can use.

namespace ardea::arith {

/// The parts that must all hold: through `and`, `not … or …`, T.likely. A comparison comes out with `not`
/// pushed into it. Those that divide come last.
std::vector<Expr> conjuncts(const Expr& condition);
std::vector<Expr> conjuncts_of_negation(const Expr& condition);

/// For a comparison of scalar integers: the int64 values that are >= 0 exactly where it holds (two for ==).
/// Empty for everything else.
std::vector<Expr> nonnegative_parts(const Expr& comparison);

/// The value of one lane: ramps become base + stride·lane, broadcasts their value. Nothing where e holds a
/// vector that has no such form (a load, a shuffle).
Expr one_lane(const Expr& e, const Expr& lane);

}  // namespace ardea::arith
