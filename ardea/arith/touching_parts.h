#pragma once

#include <unordered_set>

#include "ardea/ir/stmt.h"
#include "ardea/support/pointer_set.h"

namespace ardea::arith {

/// Which parts of a statement may touch some memory, found by one walk: who asks for the accesses of one
/// buffer need not enter the rest of the program.
class TouchingParts {
 public:
  TouchingParts(const Stmt& s, std::unordered_set<Var> memory);

  /// Whether all memory is touched under the names of its buffers: by no address, by no matched buffer.
  /// Otherwise nothing here is known of what touches which.
  bool names_memory() const { return names_memory_; }
  bool is_asked_about(const Buffer& buffer) const { return memory_.contains(buffer->data); }
  /// Of a statement inside, or the one given. The walk has held its nodes by the latter.
  bool may_touch(const Stmt& part) const { return touching_.contains(part.get()); }

 private:
  bool visit(const Stmt& s);
  bool visit(const Expr& e);
  bool mentions(const std::optional<std::vector<BufferRegion>>& regions) const;
  bool mentions(const Stmt& s) const;

  std::unordered_set<Var> memory_;
  bool names_memory_ = true;
  PointerSet seen_, touching_;  ///< statements and expressions; of those seen
};

}  // namespace ardea::arith
