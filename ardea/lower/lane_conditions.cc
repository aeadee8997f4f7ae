#include "ardea/lower/lane_conditions.h"

#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/facts.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

bool is_comparison_of_indices(const Expr& e) {
  const auto* binary = e.as<Binary>();
  return binary != nullptr && is_comparison(binary->op) && binary->left.type().is_integer() &&
         binary->left.type().is_scalar() && !arith::reads_memory(e);
}

}  // namespace

Stmt with_common_conditions(const For& loop, const Analyzer& facts) {
  Analyzer lanes = facts;
  lanes.bind(loop.var, {loop.min, loop.extent});
  return rewrite(loop.body, [&](const Expr& e) -> std::optional<Expr> {
    if (!is_comparison_of_indices(e) || !uses(e, loop.var)) return std::nullopt;
    const Expr first = facts.simplify(substitute(e, loop.var, loop.min));
    const bool is_same =
        where(lanes, first).proves(e) && where(lanes, logical_not(first)).proves(logical_not(e));
    return is_same ? std::optional(first) : std::nullopt;
  });
}

}  // namespace ardea::lower
