#pragma once

#include "ardea/schedule/outcome.h"
#include "ardea/schedule/program/tree.h"

/// Taking a statement out of its place, and putting one into a loop.

namespace ardea::schedule {

struct Removed {
  Function program;
  std::vector<Forwarded> gone;  ///< the loops that held nothing else, outermost first
};

/// f without the last statement of the path, and without the loops, conditions and lets that held nothing
/// else.
Removed without(const Function& f, const Path& path);

/// The statements of a body, one after the other.
std::vector<Stmt> statements_of(const Stmt& body);

/// f with `added` before the statement at `position` in the body of the loop.
Function with_inside(const Function& f, const LoopRef& loop, std::size_t position, const Stmt& added);

}  // namespace ardea::schedule
