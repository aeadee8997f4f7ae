#pragma once

#include "ardea/rules/rule.h"

namespace ardea::rules {

/// Products of matrices on the tensor instructions of a GPU: tiles of a block, panels of the factors on their
/// way through shared memory while earlier ones are multiplied, fragments of a warp one step ahead. Where a
/// target has no such instructions for the types, by wmma (wmma_product.h).
Rule tensor_product();

/// The same of a stage that the rule applies to.
void take_tensor_product(Derivation& d, const BlockRef& stage);

}  // namespace ardea::rules
