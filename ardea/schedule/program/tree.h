#pragma once

#include <optional>
#include <vector>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/function.h"
#include "ardea/schedule/program/reference.h"

/// Finding a loop or a block in a program, and putting something else in its place.

namespace ardea::schedule {

/// The statements from the body of a function down to one inside, both included.
using Path = std::vector<Stmt>;

std::optional<Path> path_to(const Function& f, const LoopRef& loop);
std::optional<Path> path_to(const Function& f, const BlockRef& block);

/// The last statement of a path as what it is.
const For& loop_at(const Path& path);
const Block& block_at(const Path& path);

/// The loops around the last statement of the path, outermost first, up to the block around it.
std::vector<LoopRef> loops_around(const Path& path);

/// The loops of a path and the iterators of the blocks on it: what expressions there may vary with.
std::vector<Var> variables_of(const Path& path);

/// Whether the statement at that depth of the path holds the end of `other`.
bool holds(const Path& path, std::size_t depth, const Path& other);

/// Every block in the program but the root, in program order.
std::vector<Path> all_blocks(const Function& f);

/// f with `now` where the last statement of `path` was. The statements around are rebuilt, all others kept; a
/// sequence in a sequence becomes a part of it.
Function with(const Function& f, const Path& path, Stmt now);

/// What holds where the last statement of the path stands: sizes, loops around, block iterators, conditions.
/// Without `unit_loops`, nothing is said of loops of one iteration, so that expressions keep their variables.
arith::Analyzer facts_at(const Function& f, const Path& path, bool unit_loops = true);

/// s with the bindings and predicates of its outermost blocks, and the bounds of its loops, in normal form.
/// Loops of one iteration stay in the expressions where `keep_unit_loops`.
Stmt simplify_bindings(const Stmt& s, const arith::Analyzer& facts, bool keep_unit_loops);

/// s under the condition: as the predicate of its outermost blocks where it consists of blocks in loops, as
/// an `if` elsewhere.
Stmt guarded(const Stmt& s, const Expr& condition);

}  // namespace ardea::schedule
