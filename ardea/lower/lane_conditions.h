#pragma once

#include "ardea/arith/analyzer.h"
#include "ardea/ir/stmt.h"

namespace ardea::lower {

/// The body of a loop that becomes lanes, with comparisons that come out the same in all of them as those of
/// the first: where rows are whole vectors, their ends are the same question for each lane.
Stmt with_common_conditions(const For& loop, const arith::Analyzer& facts);

}  // namespace ardea::lower
