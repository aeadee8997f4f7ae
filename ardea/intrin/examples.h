#pragma once

#include <vector>

#include "ardea/intrin/instruction.h"

namespace ardea::intrin {

/// The records that are always there: the smallest ones that show what a record can say. No backend
/// implements them, so every backend expands their meaning.
///
/// ardea.dot4_i8(C, A, B): C[0] += Σ A[k] · B[k], k in [0, 4), int8 products in int32: one lane group of sdot
/// and vpdpbssd. ardea.tile_4x4x4_f32(C, A, B, ldc, lda, ldb): C[i, j] += Σ A[i, k] · B[k, j] on 4 × 4
/// windows with the given row strides.
std::vector<Instruction> example_instructions();

}  // namespace ardea::intrin
