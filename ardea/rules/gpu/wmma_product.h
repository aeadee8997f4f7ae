#pragma once

#include "ardea/rules/gpu/block_product.h"

namespace ardea::rules {

/// A product by wmma, for targets that have nothing newer for its types: tiles of a block, factors copied to
/// shared memory, from there to fragments; sums in fragments, from there through shared memory to the result,
/// as Heron's programs do it. Where copies and loads stand is in the numbers: loops around the copies,
/// between copies and loads, and over the fragments that are loaded at once.
void take_wmma_product(Derivation& d, const OpenProduct& product);

}  // namespace ardea::rules
