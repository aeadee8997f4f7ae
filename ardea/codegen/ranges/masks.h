#pragma once

#include "ardea/ir/stmt.h"

/// Rows of memory under a mask, on machines that have no such accesses.

namespace ardea::codegen {

/// Whether so many rows are moved under a mask that each should be the call of a function: written out, a
/// lane is a branch, and a stencil with its padding has thousands of them, on which compilers spend seconds.
bool has_many_masks(const Stmt& body);

/// Whether the choice is its load: a row under a mask that is off wherever the condition is false, where it
/// gives 0 as the other side does.
bool is_masked_already(const Expr& condition, const Expr& when_true, const Expr& when_false);

}  // namespace ardea::codegen
