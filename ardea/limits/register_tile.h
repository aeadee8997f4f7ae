#pragma once

#include <cstdint>

#include "ardea/ir/expr.h"
#include "ardea/target/target.h"

/// How many vector registers code takes: one count for lowering, which refuses what cannot fit, for rules,
/// and for spaces, whose factors are variables.

namespace ardea::limits {

/// The vector registers that one value of the type fills.
std::int64_t registers_of(DataType type, const target::Target& target);

/// A tile of rows × columns sums of products, updated by one column of the left and one row of the right
/// operand at a time (an outer product).
template <class Number>
struct TileOf {
  Number rows{}, columns{};
  DataType type{};              ///< of the sums and of both operands in registers
  bool is_written_out = false;  ///< several steps of the sum stand one after another in the loop
};
using RegisterTile = TileOf<std::int64_t>;
using SymbolicRegisterTile = TileOf<Expr>;

/// The registers of the update: the sums; the row of the right operand, and the next one, which compilers
/// load early where several steps are written out; and what the left operand takes: one that is broadcast,
/// or, where instructions multiply by one lane of a vector (aarch64), the column.
std::int64_t registers_of(const RegisterTile& tile, const target::Target& target);
Expr symbolic_registers_of(const SymbolicRegisterTile& tile, const target::Target& target);

}  // namespace ardea::limits
