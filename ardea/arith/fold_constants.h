#pragma once

#include <optional>
#include <unordered_set>

#include "ardea/ir/expr.h"

namespace ardea::arith {

/// Cheap simplification of what substituting constants leaves: products and sums of constants are computed,
/// the constants of a sum are joined and come last, as `simplify` writes them. Knows no facts. Nodes in
/// `known` count as simple already; nothing where some other part is neither a sum, a product, a load nor a
/// vector of these, so that it may want more than folding.
std::optional<Expr> fold_constants(const Expr& e, const std::unordered_set<Expr>& known);

}  // namespace ardea::arith
