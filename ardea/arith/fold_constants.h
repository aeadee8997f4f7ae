#pragma once

#include <optional>

#include "ardea/ir/expr.h"
#include "ardea/support/handle_map.h"

namespace ardea::arith {

/// A set of expressions.
using KnownNodes = HandleMap<Expr, bool>;

/// Cheap simplification of what substituting constants leaves: products and sums of constants are computed,
/// the constants of a sum are joined and come last, as `simplify` writes them. Knows no facts. Nodes in
/// `known` count as simple already; nothing where some other part is neither a sum, a product, a load nor a
/// vector of these, so that it may want more than folding.
std::optional<Expr> fold_constants(const Expr& e, const KnownNodes& known);

}  // namespace ardea::arith
