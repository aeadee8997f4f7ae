#pragma once

#include <unordered_set>

#include "ardea/ir/function.h"

namespace ardea::arith {

/// The parts of a program that another one had in the same surroundings: what was proved of them holds still.
class Unchanged {
 public:
  /// Nothing is.
  Unchanged() = default;
  Unchanged(const Function& now, const Function& before);

  /// Loops and blocks only: what defines nothing may stand in several places, of which one has changed.
  bool contains(const Stmt& s) const { return parts_.contains(s); }

 private:
  void compare(const Stmt& now, const Stmt& before);
  void compare_lists(const Stmt& now, const Stmt& before);
  void keep(const Stmt& s);

  std::unordered_set<Stmt> parts_;
};

}  // namespace ardea::arith
