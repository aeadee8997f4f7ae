#pragma once

#include <functional>
#include <unordered_set>

#include "ardea/ir/stmt.h"

/// Which memory code touches, without asking where: what steps that move code look at first.

namespace ardea::schedule {

/// Memory is the data of buffers, so that views of one allocation count as one.
using Memory = std::unordered_set<Var>;

struct MemoryUse {
  Memory reads, writes;
};

/// What s reads and writes. A block counts by its declared regions; an address that is given away counts as
/// both. Statements for which `skipped` holds are left out with all they contain.
MemoryUse memory_use(const Stmt& s, const std::function<bool(const Stmt&)>& skipped = {});

/// The memory of the regions.
Memory memory_of(const std::vector<BufferRegion>& regions);

bool contains(const std::vector<Buffer>& buffers, const Buffer& buffer);

bool meet(const Memory& a, const Memory& b);
Memory common(const Memory& a, const Memory& b);

}  // namespace ardea::schedule
