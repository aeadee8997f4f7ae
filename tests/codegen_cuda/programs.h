#pragma once

#include <vector>

#include "ardea/ir/function.h"
#include "ardea/target/target.h"

namespace ardea::codegen {

/// The h200, which all of them are for.
const target::Target& gpu();

/// examples/gemm_threads.py on a product of 128 x 128 x 64 whose arrays begin on 16 bytes.
Function scheduled_product();

/// The same steps for 64 x 64 x 64, and the next tile copied while this one is multiplied.
Function pipelined_product();

/// A row a block: softmax with all its stages in shared memory, and sums of which each thread makes a part;
/// a transposition through tiles in shared memory; reductions whose parts threads combine. Sizes that no tile
/// divides.
std::vector<Function> scheduled_rows();

/// All element types, each computed with, converted from and to the others.
Function types_program();

}  // namespace ardea::codegen
