#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "ardea/arith/analyzer.h"
#include "ardea/arith/interval.h"
#include "ardea/arith/polynomial.h"

namespace ardea::arith {

/// What a Reasoner has worked out under the facts in force, so that it does so once. With one more fact all
/// of it is true still, but may be weaker than need be.
struct Answers {
  std::unordered_map<AtomId, Interval> intervals;
  std::unordered_map<AtomId, Congruence> congruences;
  /// What `nonnegative` has searched for, by key_of: a sum that is not proved is often asked for again.
  std::map<std::vector<std::int64_t>, bool> signs;
  /// Of remainders, by their type's width and sign: the quotient of the same operands.
  std::map<std::tuple<AtomId, int, bool>, std::optional<Polynomial>> wholes;
  std::unordered_map<Expr, Polynomial> normalised;
  std::unordered_map<Expr, Expr> simplified;
  std::unordered_map<Expr, Proof> decided;
};

}  // namespace ardea::arith
