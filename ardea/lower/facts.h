#pragma once

#include "ardea/arith/analyzer.h"
#include "ardea/ir/function.h"

/// What holds inside a statement and goes on to hold there. A condition on memory does not: the statements
/// that it guards may overwrite what it read.

namespace ardea::lower {

bool reads_memory(const Expr& e);

/// In the body of the loop.
arith::Analyzer inside(arith::Analyzer facts, const For& loop);
/// In the body of the let.
arith::Analyzer inside(arith::Analyzer facts, const LetStmt& let);
/// Where the condition holds, for longer than one expression.
arith::Analyzer where(arith::Analyzer facts, const Expr& condition);

}  // namespace ardea::lower
