#pragma once

#include <functional>
#include <vector>

#include "ardea/cost/formulas.h"
#include "ardea/ir/expr.h"

namespace ardea::cost {

/// What computing a value once takes, by kind, as formulas. A part that stands in it twice is computed once.
struct Arithmetic {
  Formulas::Value fma = 0, add = 0, mul = 0, div = 0, special = 0, compare = 0, integer = 0, casts = 0;

  /// Operations that a core starts for it: one for each, several for quotients and functions.
  Formulas::Value operations(Formulas& formulas) const;
};

/// A load and the share of the executions in which it happens.
struct CountedLoad {
  Load load;
  Formulas::Value share = 0;
};

struct Counted {
  Arithmetic arithmetic;
  std::vector<CountedLoad> loads;  ///< each different one once
};

/// `share_of` says how often a condition on indices holds, and unknown of any other. Only the side of a
/// choice that is taken counts, each by its share.
Counted count_arithmetic(const Expr& value, Formulas& formulas,
                         const std::function<Formulas::Value(const Expr&)>& share_of);

}  // namespace ardea::cost
