#pragma once

#include "ardea/rules/analysis/contraction.h"

/// Sums of products of which an operand, and the condition, see no more of an iterator than its remainder, as
/// the kernel of a strided transposed convolution does: of rows that are a stride apart each is multiplied
/// with the same elements; or no more than its quotient, as the data of a convolution whose channels are in
/// groups. Cut into quotient and remainder the iterator makes a product of matrices for each remainder, or
/// quotient, where whole it made one of each of its values.

namespace ardea::rules {

struct Phases {
  /// One an iterator of the contraction: how many remainders it is cut into; 1 where it stays whole.
  std::vector<std::int64_t> periods;
  /// What the products have of rows and columns then, the last of them perhaps in part.
  std::int64_t rows = 1, columns = 1;

  bool are_one() const;  ///< nothing is to be cut
};

Phases phases_of(const Contraction& c);

}  // namespace ardea::rules
