#pragma once

#include <vector>

#include "ardea/arith/dependence.h"

namespace ardea::lower {

/// Whether different threads may meet in memory: one that does `first` and one that does `second`, at least
/// one of them by writing. `threads` are the loops over threads; all other variables are the same for both.
bool meet_across_threads(const arith::Conflict& conflict, const std::vector<std::size_t>& axes);

/// What a statement touches of the memory that threads have in common.
arith::AccessesInLoops common_accesses(const Stmt& s, const std::vector<arith::LoopRange>& threads,
                                       const arith::Analyzer& facts);
/// The same for any two of these, found by the same facts, of threads that differ in one of the axes.
bool may_meet(const arith::AccessesInLoops& first, const arith::AccessesInLoops& second,
              const std::vector<arith::LoopRange>& threads, const std::vector<std::size_t>& axes,
              const arith::Analyzer& facts);

}  // namespace ardea::lower
