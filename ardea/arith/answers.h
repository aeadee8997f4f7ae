#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "ardea/arith/analyzer.h"
#include "ardea/arith/interval.h"
#include "ardea/arith/polynomial.h"
#include "ardea/support/handle_map.h"

namespace ardea::arith {

/// A value for some atoms, which are numbered from 0 on.
template <class T>
class OfAtoms {
 public:
  /// nullptr where there is none.
  const T* find(AtomId id) const {
    const auto at = static_cast<std::size_t>(id);
    return at < values_.size() && values_[at] ? &*values_[at] : nullptr;
  }
  void set(AtomId id, const T& value) {
    const auto at = static_cast<std::size_t>(id);
    if (at >= values_.size()) values_.resize(at + 1 + at / 2);
    values_[at] = value;
  }
  void clear() { values_.clear(); }

 private:
  std::vector<std::optional<T>> values_;
};

/// Bounds, for good or until a question is answered.
struct BoundsFound {
  static constexpr std::int64_t always = -1;

  Interval bounds;
  std::int64_t until = always;  ///< its number

  bool is_final() const { return until == always; }
};

/// What a Reasoner has worked out under the facts in force, so that it does so once. With one more fact all
/// of it is true still, but may be weaker than need be.
struct Answers {
  OfAtoms<BoundsFound> intervals;
  OfAtoms<Congruence> congruences;
  /// What `nonnegative` has searched for, by key_of: a sum that is not proved is often asked for again.
  std::map<std::vector<std::int64_t>, bool> signs;
  /// Of remainders, by their type's width and sign: the quotient of the same operands.
  std::map<std::tuple<AtomId, int, bool>, std::optional<Polynomial>> wholes;
  HandleMap<Expr, Polynomial> normalised;
  HandleMap<Expr, Expr> simplified;
  HandleMap<Expr, Proof> decided;
};

}  // namespace ardea::arith
