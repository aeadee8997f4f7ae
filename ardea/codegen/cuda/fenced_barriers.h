#pragma once

#include <unordered_set>

#include "ardea/ir/stmt.h"

namespace ardea::codegen::cuda {

/// Barriers of a kernel's threads behind which units that go to shared memory by themselves (groups of warps
/// that multiply out of it, copies of boxes) meet what threads did there before: these need a fence, which
/// others must not have, as copies under way wait at it.
std::unordered_set<Expr> fenced_barriers(const Stmt& kernel);

}  // namespace ardea::codegen::cuda
