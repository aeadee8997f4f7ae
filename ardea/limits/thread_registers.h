#pragma once

#include "ardea/limits/memory.h"
#include "ardea/target/target.h"

namespace ardea::limits {

/// Registers of 32 bits that the buffers of one thread take at once: at least what an assembler needs. What
/// the statements of a pipeline keep for themselves is live from the first to the last that uses it, in the
/// order in which they will run.
Expr thread_registers(const Function& f, const std::vector<Memory>& memory, const target::Target& target);

}  // namespace ardea::limits
