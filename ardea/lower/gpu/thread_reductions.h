#pragma once

#include <string>
#include <vector>

#include "ardea/ir/stmt.h"

/// Loops that combine what threads of a block have computed, each a part: spread_reductions makes them,
/// combine_by_shuffles has the threads do it together.

namespace ardea::lower {

/// Marks the loop as one over the parts of the threads along these axes: iteration t takes the part of thread
/// t, of which threadIdx.x counts fastest.
For combining_loop(For loop, const std::vector<std::string>& axes);
/// The axes of such a loop; none of others.
std::vector<std::string> combined_axes(const For& loop);
bool holds_combining_loop(const Stmt& s);

/// Whether threads exchange values in s without memory.
bool holds_shuffle(const Stmt& s);

}  // namespace ardea::lower
