#pragma once

#include <optional>
#include <vector>

#include "ardea/ir/stmt.h"

namespace ardea::schedule {

/// An access of an instruction's program, and the access of the user's program that stands in its place.
struct AccessPair {
  Buffer formal, actual;
  std::vector<Expr> formal_indices, actual_indices;
};

/// The place where two computations part.
struct Difference {
  Expr formal, actual;
};

using AccessPairs = std::vector<AccessPair>;  ///< one an access, the store's first

/// The ways in which both stores compute the same of what they load: operands of commutative operations may
/// have changed places, and T.fma(a, b, c) of the instruction stands for c + a * b, which rounds once more.
/// Where there is none, `difference` is the pair of nodes up to which most agrees.
std::vector<AccessPairs> unify(const Store& formal, const Store& actual, Difference& difference);

}  // namespace ardea::schedule
