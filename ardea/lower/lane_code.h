#pragma once

#include <optional>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/function.h"
#include "ardea/target/target.h"

/// Statements for all lanes of a vectorized loop at once.

namespace ardea::lower {

/// Iterations first, first + 1, … of `var` as the lanes of vectors.
struct LaneLoop {
  Var var;
  Expr first;
  int lanes = 2;
  Expr used;  ///< how many of the lanes are iterations of the loop; the rest is masked
};

/// `body` for all iterations at once. They touch no memory in common (independent_iterations), so that each
/// statement may run for all lanes before the next one runs.
///
/// A value that differs between lanes is a vector; an index that steps evenly is a ramp. A condition that
/// differs becomes a mask on the loads and stores that it guards, and divisors under it are 1 where the mask
/// is off. What is the same in all lanes stays a scalar, unless it loads or divides under a mask that may be
/// off everywhere.
///
/// A statement without a vector form becomes a serial loop over the lanes, alone where its surroundings allow
/// that (a condition or a let around it that read memory do not: what was read may have changed). Nothing
/// where no part of the body has a vector form.
std::optional<Stmt> lane_code(const Stmt& body, const LaneLoop& loop, const arith::Analyzer& facts,
                              const target::Target& target);

}  // namespace ardea::lower
