#pragma once

#include <unordered_set>

#include "ardea/lower/value_numbers.h"

/// How often what is behind a data variable may have changed: the ages of value_numbers.h, kept while a pass
/// goes through a program in its order.

namespace ardea::lower {

class MemoryAges {
 public:
  explicit MemoryAges(const Function& f);

  const ValueNumbers::Ages& ages() const { return ages_; }

  /// Everything that s writes is older now: after s, and where s repeats or may not run, before its parts,
  /// too.
  void pass(const Stmt& s);

  /// Whether running s may change what is behind `data`.
  bool may_write(const Stmt& s, const Var& data);

  /// Whether something in s has an effect beyond its stores.
  bool calls_out(const Stmt& s) { return writes_of(s).anything; }

  /// Whether an expression of s itself, not of statements inside it, has an effect.
  bool calls(const Stmt& s) { return writes_of(s).by_itself; }

 private:
  struct Writes {
    std::vector<Var> data = {};
    bool anything = false;   ///< a call may write what it is given, and what others hold
    bool by_itself = false;  ///< that call is none of a statement inside
  };
  const Writes& writes_of(const Stmt& s);
  void renew(const Var& data);

  bool parameters_overlap_;  ///< nobody promised that they do not
  std::unordered_set<Var> parameters_, allocations_;
  ValueNumbers::Ages ages_;
  std::int64_t now_ = 0;
  std::unordered_map<Stmt, Writes> writes_;
};

}  // namespace ardea::lower
