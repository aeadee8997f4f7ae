#pragma once

#include <cstdint>
#include <string>

namespace ardea::intrin {

/// How much one instruction multiplies: rows × columns sums of `depth` products each.
struct ProductShape {
  std::int64_t rows = 1, columns = 1, depth = 1;
  std::int64_t group = 1;  ///< products of one sum whose right factors lie side by side
};

/// Of an instruction whose buffers are C, A and B, C[i, j] or C[j] += A[i, k] or A[k] · B[…, j, k % group],
/// as its record says. Error where it is none.
ProductShape product_shape(const std::string& instruction);

}  // namespace ardea::intrin
