#pragma once

#include <vector>

#include "ardea/ir/stmt.h"

/// When the memory of a GPU's block is needed: what is needed in different parts of a sequence, one after the
/// other, may lie in the same bytes. Lowering lays it out so, and limits count it so: both ask here.

namespace ardea::limits {

/// Some parts of a sequence, which the one who asks counts.
struct SequenceSpan {
  std::int64_t sequence = 0, first = 0, last = 0;
};
/// In which parts of which sequences memory is needed, outermost first.
using Spans = std::vector<SequenceSpan>;

/// Whether memory with the one and with the other is needed one after the other.
bool are_apart(const Spans& a, const Spans& b);

struct NeededMemory {
  Allocate allocate;
  Spans spans = {};  ///< of sequences in which other memory of the block is needed at another time
};

/// The memory that threads of a block share, of a launch or a part of one, inner allocations after those
/// around them. Sequences inside of a loop around which memory is allocated say nothing about it: it may be
/// needed again.
std::vector<NeededMemory> memory_in_turn(const Stmt& s);

}  // namespace ardea::limits
