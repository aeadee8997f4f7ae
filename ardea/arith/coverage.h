#pragma once

#include <unordered_set>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/function.h"

namespace ardea::arith {

/// Whether each run of `s` reads of `buffer` only what the same run has written before: then nothing in the
/// buffer lives from one run of `s` to the next, and each run may have a buffer of its own. Answers false
/// where it cannot prove it. `loops_around` are the variables of the loops around s.
bool reads_only_own_writes(const Stmt& s, const Buffer& buffer, const std::unordered_set<Var>& loops_around,
                           const Analyzer& facts);

}  // namespace ardea::arith
