#pragma once

#include <cstdint>

#include "ardea/support/data_type.h"
#include "ardea/target/target.h"

/// How many vector registers code takes: one count for lowering, which refuses what cannot fit, and for
/// spaces, which do not propose it.

namespace ardea::target {

/// The vector registers that one value of the type fills.
std::int64_t registers_of(DataType type, const Target& target);

/// A tile of rows × columns sums of products, updated by one column of the left and one row of the right
/// operand at a time (an outer product).
struct RegisterTile {
  std::int64_t rows = 1, columns = 1;
  DataType type{};  ///< of the sums and of both operands in registers
};

/// The registers of the update: the sums, the row of the right operand, and what the left one takes: one that
/// is broadcast, or, where instructions multiply by one lane of a vector (aarch64), the column.
std::int64_t registers_of(const RegisterTile& tile, const Target& target);

}  // namespace ardea::target
