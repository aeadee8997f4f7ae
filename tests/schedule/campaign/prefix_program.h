#pragma once

#include "ardea/ir/function.h"
#include "ardea/support/random.h"

namespace ardea::schedule {

/// Sums (or extremes) of prefixes of rows, of more, fewer or as many elements as there are sums, that end at
/// an element, behind it or before it; the cut is a condition of the block or chooses the terms, written one
/// way or another. A second axis may be summed over, a second result made, and a block that reads the sums
/// may follow. What split_prefix needs more of than random programs have. It cannot make prefixes of argmax,
/// nor cuts of two pairs of iterators in one block: tests/schedule/cases has the first, and the second is
/// refused.
Function prefix_program(Random& random);

}  // namespace ardea::schedule
