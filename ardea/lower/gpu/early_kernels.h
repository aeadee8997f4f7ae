#pragma once

#include <unordered_set>

#include "ardea/ir/stmt.h"
#include "ardea/target/target.h"

/// Kernels of a function that begin before the one before them has ended, so that launching them takes less
/// time: each waits, as the first thing it does with memory, until what that one has written is there.

namespace ardea::lower {

/// Whether the target's kernels can wait for the one before: from compute capability 9.0 on.
bool kernels_begin_early(const target::Target& target);

/// The memory that the body of a kernel writes: by stores, as what copies go to, as an operand that a tensor
/// instruction writes.
std::unordered_set<Var> memory_written(const Stmt& body);

}  // namespace ardea::lower
