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

  std::size_t size() const { return known_.size(); }

 private:
  using Key = SmallVector<std::uint64_t, 8>;
  struct Known {
    std::uint64_t hash = 0;
    Key key;
    Expr named;  ///< kept alive, because keys name nodes by address
  };

  /// The number of the key: a new one where it was not there. `e` is what it was made of.
  ValueNumber number_of(const Key& key, const Expr& e);
  void grow();

  std::vector<Known> known_;          ///< by number
  std::vector<std::uint32_t> slots_;  ///< numbers plus one by hash, 0 where free; at most half are used
};

}  // namespace ardea::lower
