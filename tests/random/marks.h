#pragma once

#include "ardea/ir/function.h"
#include "ardea/support/random.h"

namespace ardea::random_programs {

/// The program with about half of its loops (thread-bound ones aside) marked as vectorized and some as
/// unrolled, whether their iterations are independent or not: a mark means the serial loop, so that the
/// answers stay.
Function with_marked_loops(const Function& f, Random& random);

}  // namespace ardea::random_programs
