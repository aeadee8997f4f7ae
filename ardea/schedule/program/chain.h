#pragma once

#include <variant>
#include <vector>

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

}  // namespace ardea::schedule
