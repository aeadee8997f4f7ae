#pragma once

#include "ardea/ir/function.h"
#include "ardea/support/random.h"

namespace ardea::schedule {

/// Stages that go through rows, each with a buffer that is filled anew for every row: by a block around fill
/// and use that allocates it, or in the loops of the program. Some fills depend on the row, others do the
/// same each time; uses read the row as it lies, backwards, or held at its end together with the source. What
/// steps on allocations and repeated work need more of than other programs have.
/// It cannot make rows of different lengths: dependent_nests.h passes values on inside uneven loops, but a
/// block around fill and use there would widen it.
Function row_chain(Random& random);

}  // namespace ardea::schedule
