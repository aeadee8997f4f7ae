#pragma once

#include "ardea/lower/gpu/split_kernels.h"

/// Kernels as programs that the interpreter runs, with the memory of a block where they have it.

namespace ardea::lower {

/// The program that a split one stands for: launches in the place of their calls, all memory of a block in
/// one array of bytes.
Function joined(const SplitProgram& program);

/// The same of f, as a pass leaves it, behind all other passes.
Function finished(Function f, const std::string& last_pass, const target::Target& target);

}  // namespace ardea::lower
