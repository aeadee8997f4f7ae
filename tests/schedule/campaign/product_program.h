#pragma once

#include "ardea/ir/function.h"
#include "ardea/support/random.h"

namespace ardea::schedule {

/// A product of matrices, with or without an init, in one of the layouts that tensor instructions read, of
/// sizes that their tiles divide and of others: what blockize and tensorize need more of than random programs
/// have. A block that adds a bias may follow.
/// It cannot make triangular or banded products: no instruction matches them, and dependent_nests.h has sums
/// over such loops.
Function product_program(Random& random);

}  // namespace ardea::schedule
