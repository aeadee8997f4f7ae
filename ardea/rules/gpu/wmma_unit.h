#pragma once

#include "ardea/rules/gpu/mma_unit.h"

namespace ardea::rules {

/// The wmma instructions of one shape for one product of matrices, by the names of their records, and the
/// scopes of their fragments. A lies by rows; B by rows, or by columns where its matrix has rows of n.
struct WmmaUnit {
  std::string shape;  ///< "m16n16k16"
  std::int64_t rows = 16, columns = 16, depth = 16;
  std::string product, zero, load_a, load_b, store;
  std::string scope_a, scope_b, scope_sums;
};

/// All shapes that the target has for these types, the square one first; none where it has no such
/// instruction.
std::vector<WmmaUnit> wmma_units(const MatrixProduct& product, const target::Target& target);

/// Whether it has tensor instructions of either family for the types: mma_unit.h's, or these.
bool has_tensor_unit(const MatrixProduct& product, const target::Target& target);

}  // namespace ardea::rules
