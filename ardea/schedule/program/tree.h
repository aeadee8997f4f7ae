#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ardea/schedule/program/path.h"

/// Finding a loop or a block in a program, and putting something else in its place.

namespace ardea::schedule {

std::optional<Path> path_to(const Function& f, const LoopRef& loop);
std::optional<Path> path_to(const Function& f, const BlockRef& block);

/// The paths to all statements that are such, in program order; the inits of blocks are not looked into.
std::vector<Path> paths_to(const Function& f, const std::function<bool(const Stmt&)>& is_such);

/// Every block in the program but the root, in program order.
std::vector<Path> all_blocks(const Function& f);

/// f with `now` where the last statement of `path` was. The statements around are rebuilt, all others kept; a
/// sequence in a sequence becomes a part of it.
Function with(const Function& f, const Path& path, Stmt now);

/// s with the bindings and predicates of its outermost blocks, and the bounds of its loops, in normal form.
/// Loops of one iteration stay in the expressions where `keep_unit_loops`.
Stmt simplify_bindings(const Stmt& s, const arith::Analyzer& facts, bool keep_unit_loops);

/// s under the condition: as the predicate of its outermost blocks where it consists of blocks in loops, as
/// an `if` elsewhere. What could stop where the condition is false, is evaluated behind it.
Stmt guarded(const Stmt& s, const Expr& condition, const arith::Analyzer& facts);

}  // namespace ardea::schedule
