#pragma once

#include "ardea/ir/function.h"

namespace ardea::schedule {

/// Whether a program that a step made may hold and still be beyond what arith::verify proves: it has symbolic
/// extents, loops whose extents depend on others, predicates, blocks in blocks, or writes at indices with //
/// and %. Such results are verified before they are accepted.
bool is_hard_to_prove(const Function& program);

}  // namespace ardea::schedule
