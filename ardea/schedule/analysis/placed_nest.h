#pragma once

#include "ardea/schedule/analysis/iterator_values.h"
#include "ardea/schedule/context.h"

/// A block in new loops of its own.

namespace ardea::schedule {

/// What the new loops must do.
struct NestRequest {
  IteratorValues wanted;          ///< at least these values run, as far as they are `allowed`
  IteratorValues allowed;         ///< nothing else runs: what is not proved becomes the block's predicate
  std::vector<Expr> guards = {};  ///< conditions on the place under which the block runs
  bool keep_unit_loops = false;
  /// Whether a loop is cut to all values of its iterator must not be seen in the form of its extent: it is
  /// the smaller of two, where that depends on the numbers.
  bool of_template = false;
  std::vector<Expr> conditions = {};  ///< over the block's iterators: only values that fulfil them run
};

/// The block in loops ax0, ax1, …, one an iterator that has more than one value, bound to start + loop. A
/// loop has as many iterations as in any iteration of the loops around, where that number is free of them:
/// then the predicate cuts what is too much. `facts` know the place; `around` are the loops there.
Stmt placed_nest(const Block& block, const NestRequest& request, const std::vector<Var>& around,
                 const arith::Analyzer& facts);

}  // namespace ardea::schedule
