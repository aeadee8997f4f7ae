#pragma once

#include "ardea/limits/memory.h"

/// How many registers of each file a program keeps in use.

namespace ardea::limits {

/// The most vector registers that slots of scope "register" take through the iterations of one loop: those
/// that it uses and that were there before it. An upper bound of what lowering counts (promote_registers):
/// which rows are vectors follows from the loops that are marked vectorized and from the operands of
/// instructions; where there is neither, each element takes a register.
Expr vector_registers(const Function& f, const std::vector<Memory>& memory, const target::Target& target);

/// The tile registers that memory of so many bytes takes.
std::int64_t tiles_in(std::int64_t bytes);
Expr tiles_in(const Expr& bytes);
/// The most that are in use at once (scope "amx.tile").
Expr tile_registers(const Function& f, const std::vector<Memory>& memory, const target::Target& target);

/// The scope of memory that is tile registers.
inline constexpr auto tile_scope = "amx.tile";

}  // namespace ardea::limits
