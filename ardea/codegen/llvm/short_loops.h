#pragma once

#include "ardea/ir/function.h"

namespace ardea::codegen {

/// f with its short innermost loops written out, where there are very many of them. LLVM writes them out
/// anyway, but the time that its analysis of loops takes grows with the square of their number.
Function with_short_loops_written_out(const Function& f);

}  // namespace ardea::codegen
