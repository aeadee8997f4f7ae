#pragma once

#include <variant>

#include "ardea/schedule/argument.h"
#include "ardea/schedule/outcome.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::schedule {

/// The path to what a step refers to, or the refusal that it is no longer there.
Result<Path> refer(const Function& f, const LoopRef& loop);
Result<Path> refer(const Function& f, const BlockRef& block);
Result<Path> refer(const Function& f, const BlockOrLoop& either);

/// The loop as For and all that a step on it needs.
struct FoundLoop {
  Path path;
  const For* loop = nullptr;
  arith::Analyzer facts;  ///< outside the loop
};
Result<FoundLoop> refer_to_loop(const Function& f, const LoopRef& loop);

}  // namespace ardea::schedule
