#pragma once

#include <variant>
#include <vector>

#include "ardea/schedule/context.h"
#include "ardea/schedule/outcome.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::schedule {

/// Loops of which each is the only statement in the one before, from the outermost that was asked for to the
/// innermost.
struct Chain {
  Path path;                      ///< to the outermost
  std::vector<const For*> loops;  ///< outermost first
  arith::Analyzer facts;          ///< outside the outermost
  const Stmt& body() const { return loops.back()->body; }
};

/// The chain that holds all of the loops, in whatever order they are named. Refused where one is gone, is
/// named twice, or something else stands between them.
Result<Chain> chain_of(const Function& f, const std::vector<LoopRef>& loops);

/// Refused where a loop's bounds use the variable of another loop of the chain.
std::optional<Refusal> refuse_dependent_bounds(const Chain& chain);

/// Refused where a loop's bounds may divide by 0 in another order of the chain, positions of its loops
/// outermost first. A loop that leaves another is met where that one does not run; inside of it, that it runs
/// may be all that kept a divisor from being 0.
std::optional<Refusal> refuse_undefined_bounds(const Chain& chain, const std::vector<std::size_t>& order,
                                               Context& context);
/// The same where all bounds are asked for outside of the outermost loop.
std::optional<Refusal> refuse_undefined_bounds(const Chain& chain, Context& context);

}  // namespace ardea::schedule
