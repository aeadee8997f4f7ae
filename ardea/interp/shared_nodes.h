#pragma once

#include <unordered_map>
#include <unordered_set>

#include "ardea/ir/expr.h"

namespace ardea::interp {

/// Which nodes of an expression several others share. Expressions are graphs: walked as trees, a chain of
/// nodes that each use the one before twice takes exponential time. Asked once an expression.
class SharedNodes {
 public:
  using Set = std::unordered_set<Expr>;

  /// Nodes worth keeping the value of; none where the expression has effects, since a value read before one
  /// may be stale after it.
  const Set& of(const Expr& e);

 private:
  std::unordered_map<Expr, Set> known_;
};

}  // namespace ardea::interp
