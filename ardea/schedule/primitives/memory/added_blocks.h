#pragma once

#include <functional>

#include "ardea/schedule/analysis/iterator_values.h"
#include "ardea/schedule/context.h"

/// New blocks that copy or fill elements, and where they go.

namespace ardea::schedule {

/// A block in the making: one spatial iterator v0, v1, … a dimension of `shape`, each over all of it, and a
/// body of them.
Block block_over(const std::string& name, const std::vector<Expr>& shape,
                 const std::function<Stmt(const std::vector<Expr>&)>& body);

/// The block in loops ax0, ax1, … over all values of its iterators. `condition`, over the iterators, becomes
/// its predicate; empty means none.
Stmt whole_nest(const Block& block, const arith::Analyzer& facts, const Context& context,
                const Expr& condition = {});

/// f with the statements put into the body of the block at the end of `owner`, before the first and after the
/// last statement that touches the memory; either may be empty.
Function around_touches(const Function& f, const BlockRef& owner, const Var& data, const Stmt& before,
                        const Stmt& after);

/// f with the statements where the last one of the path was, in the sequence around it where there is one.
Function with_in_sequence(const Function& f, const Path& path, std::vector<Stmt> statements);

/// f with the buffer among the allocations of the block, in the place of `removed` where that is given.
Function with_allocation(const Function& f, const BlockRef& owner, const Buffer& added,
                         const Buffer& removed = {});

/// What every instance of a block at the end of the path may count on: sizes and the iterators of the blocks
/// around it, not its loops.
arith::Analyzer facts_for_block(const Function& f, const Path& path);

}  // namespace ardea::schedule
