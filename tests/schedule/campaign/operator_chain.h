#pragma once

#include "ardea/ir/function.h"
#include "ardea/support/random.h"

namespace ardea::schedule {

/// A chain of stages, each made from the one before, as operators are put together: element-wise ones at
/// permuted, shifted and reversed places, padding, crops, windows, broadcasts, sums, an index of a maximum.
/// Sizes are small, ones and symbolic ones among them. Here much can be inlined and factored.
Function operator_chain(Random& random);

}  // namespace ardea::schedule
