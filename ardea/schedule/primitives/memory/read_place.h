#pragma once

#include "ardea/schedule/primitives/memory/copy_block.h"
#include "ardea/schedule/program/touches.h"

/// Where a copy of a buffer can stand so that blocks may read it instead.

namespace ardea::schedule {

/// Blocks of one scope that read a buffer, and shall read a copy of it.
struct Readers {
  Path scope;  ///< to the block around them
  Buffer buffer;
  std::vector<Path> blocks;    ///< in program order
  std::vector<Touch> touches;  ///< of the buffer, in the scope
};

/// The blocks of `consumers`, or where that is empty all blocks directly in the scope of `block`, that read
/// the buffer. Refused as
///   not_in_one_scope, not_a_consumer, buffer_is_viewed (a reader goes by a view, a matched part or an
///   address, or the buffer itself is a view that is declared in the scope).
Result<Readers> readers_of(const Function& f, const Path& block, const Buffer& buffer,
                           const std::vector<BlockRef>& consumers);

/// The path to the statement before which the copy goes: the last place from which on nothing writes the
/// buffer until the readers have run, outside of all loops that allow it. Refused as
///   reads_itself (a reader writes the buffer), written_between, not_in_one_scope (readers in the init of the
///   block around them, and in its body).
Result<Path> read_place(const Readers& readers);

/// What the readers read from the place on; empty where it is not proved that anything runs.
std::optional<arith::Touched> read_from(const Function& f, const Readers& readers, const Path& place,
                                        const Buffer& buffer);

}  // namespace ardea::schedule
