#pragma once

#include "ardea/ir/stmt.h"

namespace ardea::schedule {

/// A part of the program, and the conditions under which any of it runs.
struct GuardedPart {
  Stmt part;        ///< without these conditions
  Expr guard = {};  ///< undefined where it always runs
};

/// The conditions of the block, if there is one alone in the part (a block, or loops around one), that do not
/// change inside the part.
GuardedPart guarded_part(const Stmt& part);

}  // namespace ardea::schedule
