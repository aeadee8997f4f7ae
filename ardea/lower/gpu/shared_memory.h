#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ardea/ir/stmt.h"

/// Where memory of a block lies, where some of it lies in the same bytes because it is needed one after the
/// other (limits/memory_in_turn.h): unify_thread_bindings decides it, barriers stand between what meets
/// there, and kernels have it so.

namespace ardea::lower {

/// The bytes [first, end) of a block's memory.
struct BlockBytes {
  std::int64_t first = 0, end = 0;

  bool meet(const BlockBytes& other) const { return first < other.end && other.first < end; }
};

/// The allocations of the launch's memory of a block, inner ones behind those around them: with their bytes,
/// where some are in common. Memory that is `kept` has its own, which nothing says.
std::vector<Allocate> with_bytes_in_turn(const Stmt& launch, const std::unordered_set<Var>& kept);
/// Nothing of an allocation of which nothing is said.
std::optional<BlockBytes> bytes_of(const Allocate& allocate);

/// Which memory that is allocated in s lies in the same bytes.
class BytesInCommon {
 public:
  explicit BytesInCommon(const Stmt& s);

  /// Whether some memory of the one has bytes of another in the other.
  bool are_there(const std::unordered_set<Var>& a, const std::unordered_set<Var>& b) const;

 private:
  std::unordered_map<Var, BlockBytes> bytes_;
};

}  // namespace ardea::lower
