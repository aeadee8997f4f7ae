#pragma once

#include <vector>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/function.h"

/// Where the memory of a buffer that a block allocates is really allocated. Lowering puts it there, and
/// schedules let loops run concurrently because it will: both ask here, so that they cannot disagree.

namespace ardea::arith {

/// The statements from the body of `owner`, a block that allocates `buffer`, down to the one that the
/// allocation stands around: the lowest that holds all uses and whose runs each read only what the same run
/// has written before. Empty where the allocation must stand around the whole block. Threads share a buffer
/// unless its scope is a thread's own, blocks of them unless it is a block's. `facts` hold outside the block.
std::vector<Stmt> way_to_allocation(const Block& owner, const Buffer& buffer, const Analyzer& facts);

/// Whether s, or something inside it, uses the memory. What a block declares is no use.
bool touches(const Stmt& s, const Var& data);

}  // namespace ardea::arith
