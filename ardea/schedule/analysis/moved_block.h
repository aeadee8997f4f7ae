#pragma once

#include <optional>

#include "ardea/arith/analyzer.h"
#include "ardea/schedule/outcome.h"
#include "ardea/schedule/program/memory_use.h"
#include "ardea/schedule/program/tree.h"

/// What the steps that move a block from one place to another ask of it, and of what runs in between.

namespace ardea::schedule {

/// A block and a loop of one scope that stand beside each other: in different statements of one sequence.
struct Places {
  Path block, loop;
  std::size_t scope = 0;   ///< the statements of both paths before this one lead to the scope's block
  std::size_t common = 0;  ///< the statements before this one are around both; the last is the sequence
  std::size_t block_position = 0, loop_position = 0;  ///< in the sequence

  const Seq& sequence() const { return *block[common - 1].as<Seq>(); }
  /// The statements of the sequence from the one of the block to the one of the loop, in program order.
  std::vector<Stmt> statements_between() const;
};

/// Refused where one is gone, the block is under the loop already, or they do not stand beside each other.
Result<Places> places_of(const Function& f, const BlockRef& block, const LoopRef& loop);

/// Refused where the block's instances have an order of their own, or its body uses what is defined around it
/// from path[first] on.
std::optional<Refusal> refuse_unless_movable(const Path& path, std::size_t first);

/// Refused where running an instance of the block twice is not the same as running it once, or its writes
/// are another block's, or seen outside the scope: it must be a function of what it reads.
std::optional<Refusal> refuse_unless_recomputable(const Function& f, const Path& path);

/// Whether the block reads what it writes, where no init comes first.
bool reads_own_writes(const Block& block);

/// Refused where new loops in the order of the iterators would combine in another order than the loops from
/// path[first] on, and that may matter.
std::optional<Refusal> refuse_other_reduction_order(const Function& f, const Path& path, std::size_t first);

/// Whether s is the block.
bool is_block(const Stmt& s, const BlockId& id);

/// The name of some buffer that is in both; for messages.
std::string name_in(const Memory& memory, const std::vector<BufferRegion>& regions);
/// The block of s, `skipped` ones aside, that reads (writes) some of the memory; for messages.
std::string reader_of(const Memory& memory, const std::vector<Stmt>& statements, const BlockId& skipped);
std::string writer_of(const Memory& memory, const std::vector<Stmt>& statements, const BlockId& skipped);

/// What all the statements touch, the block aside.
MemoryUse use_of(const std::vector<Stmt>& statements, const BlockId& skipped);

}  // namespace ardea::schedule
