#pragma once

#include "ardea/ir/function.h"
#include "ardea/support/random.h"

namespace ardea::schedule {

/// A chain of stages, each made from the one before, as operators are put together: element-wise ones at
/// permuted, shifted and reversed places, padding, crops, windows, broadcasts, sums, an index of a maximum.
/// Sizes are small, ones and symbolic ones among them. Here much can be inlined and factored.
/// It cannot make loops that depend on one another (dependent_nests.h does), updates in place, or blocks
/// inside blocks (tests/random does): as operators never are, so nothing of a graph is missed.
Function operator_chain(Random& random);

}  // namespace ardea::schedule
