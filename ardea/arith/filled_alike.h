#pragma once

#include "ardea/arith/analyzer.h"
#include "ardea/ir/function.h"

namespace ardea::arith {

/// Whether each iteration of the loop fills the buffer, memory of a block of threads, alike: whatever it
/// writes there, and where and how often, is the same in every iteration, and each reads only what it has
/// written itself. Then threads that run the iterations at the same time, and wait for each other between the
/// parts of the body, may share one copy of the buffer that is filled once for all of them. Answers false
/// where it cannot prove it.
bool filled_alike(const For& loop, const Buffer& buffer, const Analyzer& facts);

/// Whether `part`, which stands in the loop, writes such memory only.
bool only_fills_alike(const Stmt& part, const For& loop, const Analyzer& facts);

}  // namespace ardea::arith
