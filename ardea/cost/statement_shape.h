#pragma once

#include "ardea/cost/touched_memory.h"

/// How a statement runs, by the kinds of the loops around it, and what that makes of its accesses.

namespace ardea::cost {

struct StatementShape {
  Formulas::Value elements;  ///< of one vector statement: the extent of the vectorized loops
  Formulas::Value vectors;   ///< registers that those fill
  Formulas::Value unrolled;
  Formulas::Value inner;  ///< iterations of the innermost loop that runs, neither vectorized nor unrolled
};
StatementShape shape_here(Surroundings& surroundings);

/// Elements from one iteration of the innermost loop that runs to its next; vectorized ones count first.
Formulas::Value inner_step(const Access& access, const StatementShape& shape, Surroundings& surroundings);

/// The share of the executions that touch memory: what does not move with an unrolled loop is loaded once
/// for all of its iterations, and what does not move with the innermost loop is kept while that runs.
Formulas::Value kept_share(const Access& access, Surroundings& surroundings);

/// Sums that a loop adds to without waiting; 0 where no execution waits for the one before.
Formulas::Value chains_of(const Access& sum, const StatementShape& shape, Surroundings& surroundings);

}  // namespace ardea::cost
