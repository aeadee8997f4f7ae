#pragma once

#include "ardea/schedule/analysis/iterator_values.h"
#include "ardea/schedule/outcome.h"

/// A new buffer that stands for an old one, the block that copies between the two, and the blocks that use
/// the new one: what cache_read, cache_write and reindex share.

namespace ardea::schedule {

/// Which of the two lists of regions of a block.
enum class Side { read, write };

/// The buffer of the region at that position of the block's list. Refused as no_such_buffer.
Result<Buffer> buffer_at(const Block& block, Side side, std::int64_t index);

/// Refused as no_such_scope where there is none of that name.
std::optional<Refusal> refuse_unknown_scope(const std::string& scope);

/// A compact buffer of the same shape, <name>_<scope>.
Buffer cache_of(const Buffer& buffer, const std::string& scope);

/// to[v0, …] = from[v0, …] for two buffers of one shape.
Block copy_block(const std::string& name, const Buffer& from, const Buffer& to);

/// The value where the condition holds, and the other elsewhere; neither is evaluated where it is not asked
/// for. Values of types that can only be stored pass through a type that holds them exactly.
Expr chosen_value(const Expr& condition, const Expr& value, const Expr& otherwise);

/// The block in loops ax0, ax1, …, one an iterator, that run exactly the values of `box`, one range an
/// iterator, in place of the path's last statement.
Stmt copy_nest(const Function& f, const Block& block, const std::vector<Range>& box, const Path& place);

/// The box with dimensions whose bounds are read from memory made whole; then it is no longer exact.
arith::Touched without_loaded_bounds(arith::Touched touched);

/// The blocks, each inside the block at the end of `scope`. Refused as not_in_one_scope.
Result<std::vector<Path>> blocks_inside(const Function& f, const Path& scope,
                                        const std::vector<BlockRef>& blocks);

/// f in which what the blocks hold uses `now` for `old`. Blocks around them, up to the one of `scope`, get
/// new regions.
Function redirected(Function f, const BlockId& scope, const std::vector<BlockId>& blocks, const Buffer& old,
                    const Buffer& now);

/// The block with expressions that define variables of their own: after its body was rewritten, because what
/// it shared with other blocks is now one of each.
Block with_own_lets(Block block);

/// Whether a buffer is declared between the block at the end of `scope` and the end of the path: it has no
/// meaning elsewhere in the scope.
bool is_declared_between(const Path& scope, const Path& path, const Buffer& buffer);

/// That nothing is known about uses of the buffer which are not loads and stores of itself.
Refusal used_through_a_view(const Buffer& buffer, const Block& user);

}  // namespace ardea::schedule
