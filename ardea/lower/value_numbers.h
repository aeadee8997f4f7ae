#pragma once

#include <unordered_map>
#include <vector>

#include "ardea/ir/function.h"
#include "ardea/support/handle_map.h"
#include "ardea/support/small_vector.h"

/// Expressions by the values that they have: two of one number are equal wherever both are evaluated. Parts
/// have smaller numbers than what they are part of.

namespace ardea::lower {

using ValueNumber = std::size_t;
using NumberOfNode = HandleMap<Expr, ValueNumber>;

class ValueNumbers {
 public:
  /// What is behind a data variable has not changed as long as its age stays the same.
  using Ages = std::unordered_map<Var, std::int64_t>;

  /// The numbers of e and of all its parts, by node, in `numbers`; nodes that are there already keep theirs.
  /// A load has the number of others of the same age. A let (an expression) is like no other.
  ValueNumber add(const Expr& e, const Ages& ages, NumberOfNode& numbers);

  std::size_t size() const { return next_; }

 private:
  using Key = SmallVector<std::uint64_t, 8>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };

  std::unordered_map<Key, ValueNumber, KeyHash> known_;
  std::vector<Expr> named_;  ///< keeps alive what keys name by address
  ValueNumber next_ = 0;
};

}  // namespace ardea::lower
