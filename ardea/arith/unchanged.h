#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ardea/ir/function.h"

namespace ardea::arith {

/// Whether all that differs are marks: annotations that name no variable, and kinds of loops other than
/// threads, of which no law speaks.
bool only_marks_differ(const Function& now, const Function& before);

/// The parts of a program that another one had in the same surroundings: what was proved of them holds still.
class Unchanged {
 public:
  /// Nothing is.
  Unchanged() = default;
  Unchanged(const Function& now, const Function& before);

  /// Loops and blocks only: what defines nothing may stand in several places, of which one has changed.
  bool contains(const Stmt& s) const { return parts_.contains(s); }

  /// Blocks of which all but the bindings and the predicate is as it was, in blocks with the same iterators:
  /// what was proved of their inside, which knows of no loop around, holds still.
  bool has_inside(const Stmt& block) const { return insides_.contains(block); }

  /// Whether the binding of that iterator has the values that it had.
  bool has_binding(const Stmt& block, std::size_t iterator) const {
    const auto at = bindings_.find(block);
    return at != bindings_.end() && at->second[iterator];
  }

 private:
  void compare(const Stmt& now, const Stmt& before);
  void compare_lists(const Stmt& now, const Stmt& before);
  void keep(const Stmt& s);
  void compare_insides(const Stmt& now, const Stmt& before);

  std::unordered_set<Stmt> parts_, insides_;
  std::unordered_map<Stmt, std::vector<bool>> bindings_;  ///< of each iterator
};

}  // namespace ardea::arith
