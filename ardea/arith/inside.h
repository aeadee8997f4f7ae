#pragma once

#include "ardea/arith/analyzer.h"
#include "ardea/ir/function.h"

/// What holds inside a statement and goes on to hold there. A condition on memory does not: the statements
/// that it guards may overwrite what it read.

namespace ardea::arith {

bool reads_memory(const Expr& e);

/// In the body of the loop.
Analyzer inside(Analyzer facts, const For& loop);
/// In the body of the let.
Analyzer inside(Analyzer facts, const LetStmt& let);
/// In the statements directly inside s, whatever it is; nothing is said of the cases of an `if`.
Analyzer inside(const Analyzer& facts, const Stmt& s);
/// Where the condition holds, for longer than one expression.
Analyzer where(Analyzer facts, const Expr& condition);

}  // namespace ardea::arith
