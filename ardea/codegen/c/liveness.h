#pragma once

#include <unordered_set>

#include "ardea/ir/stmt.h"

namespace ardea::codegen::c {

/// The variables that the code of s reads: by name, as the memory of an access, or in a buffer's offset. A
/// let whose variable nothing reads, and whose value has no effect, makes no code, so that C compilers need
/// not be told that it is unused.
std::unordered_set<Var> variables_read(const Stmt& s);

}  // namespace ardea::codegen::c
