#pragma once

#include <unordered_set>

#include "ardea/ir/function.h"

namespace ardea::arith {

/// The parts of a program that another one had in the same surroundings: what was proved of them holds still.
/// Both programs must outlive it.
class Unchanged {
 public:
  /// Nothing is.
  Unchanged() = default;
  Unchanged(const Function& now, const Function& before);

  /// Loops and blocks only: what defines nothing may stand in several places, of which one has changed.
  bool contains(const Stmt& s) const { return parts_.contains(s.get()); }

 private:
  void compare(const Stmt& now, const Stmt& before);
  void compare_lists(const Stmt& now, const Stmt& before);
  void keep(const Stmt& s);

  std::unordered_set<const StmtNode*> parts_;
};

}  // namespace ardea::arith
