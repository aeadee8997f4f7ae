#pragma once

#include <set>
#include <string>
#include <vector>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/substitute.h"

namespace ardea::lower {

/// What threads of a launch do without waiting for each other.
struct ThreadPart {
  Stmt statement;               ///< over the loops of the launch, under the conditions of thread loops
  std::set<std::string> bound;  ///< tags of the thread loops that it stands in
  bool by_all = false;          ///< along other axes all threads do it, each for itself; else the first one
  Substitution lets;            ///< what names around it stand for
  std::vector<Stmt> around;     ///< loops and conditions of the launch around it, outermost first
};

/// Memory of threads that stands outside of some of the loops that are bound to them.
struct ThreadMemory {
  Var data;
  std::set<std::string> bound;  ///< tags of the thread loops that it stands in: along these each has its own
};

/// Memory of scope "local" that stands outside of loops over threads becomes each thread's own there: no
/// thread may read of it what another one wrote. Error, which names the function, where that is not proved.
void require_private(const std::vector<ThreadMemory>& memory, const std::vector<ThreadPart>& parts,
                     const std::vector<For>& threads, const arith::Analyzer& facts, const std::string& name);

}  // namespace ardea::lower
