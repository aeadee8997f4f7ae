#pragma once

#include "ardea/arith/analyzer.h"
#include "ardea/ir/stmt.h"

namespace ardea::lower {

/// for k: for i unrolled: for j in lanes: if c(i, j): S   ⇒   if c may hold for some i, j: for k: …
/// where the loop is serial and all that it does stands under conditions that it does not change. They stay
/// where they are: this is for the tiles in which none of them holds, which are then skipped as a whole. The
/// loop itself where there is no such condition, or it is not decided outside.
Stmt asked_before(const For& loop, const arith::Analyzer& facts);

}  // namespace ardea::lower
