#pragma once

#include "ardea/rules/analysis/contraction.h"

/// Sums of products of which an operand, and the condition, see no more of an iterator than its remainder, as
/// the kernel of a strided transposed convolution does: of rows that are a stride apart each is multiplied
/// with the same elements. Cut into quotient and remainder the iterator makes a product of matrices for each
/// remainder, where whole it made one of each of its values.

namespace ardea::rules {

struct Phases {
  /// One an iterator of the contraction: how far apart values are that are multiplied with the same; 1 where
  /// there is no such distance, or the iterator moves one operand alone.
  std::vector<std::int64_t> periods;
  bool repeats_left = false;  ///< the operand that sees remainders is the left one

  /// Cut into quotients and remainders: rows and columns of each product, the last ones perhaps in part.
  std::int64_t rows(const Contraction& c) const;
  std::int64_t columns(const Contraction& c) const;
  bool are_one() const;  ///< nothing is to be cut
};

Phases phases_of(const Contraction& c);

}  // namespace ardea::rules
