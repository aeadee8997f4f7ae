#pragma once

#include <optional>

#include "ardea/rules/analysis/stage.h"

/// Sums of products of two operands, of whatever dimensions: products of matrices in disguise, as
/// convolutions are.

namespace ardea::rules {

/// out[…] += left[…] · right[…], or 0 where a condition does not hold. Each iterator belongs to one group, by
/// the operands that it moves; one that the condition asks for moves both.
struct Contraction {
  Stage stage;
  Load left, right;
  Expr condition = {};                             ///< empty where all is added
  Expr left_condition = {}, right_condition = {};  ///< of one operand, which is 0 elsewhere; empty where none
  std::int64_t left_read = 0, right_read = 1;      ///< their places among what the block reads
  std::vector<std::size_t> batch = {};             ///< both and the result
  std::vector<std::size_t> rows = {};              ///< the left one and the result
  std::vector<std::size_t> columns = {};           ///< the right one and the result
  std::vector<std::size_t> depth = {};             ///< both, reduced

  std::int64_t extent(const std::vector<std::size_t>& group) const;
  /// The iterator that the last index is, or its last digit, as in group * 16 + channel; nothing where it is
  /// more than that.
  std::optional<std::size_t> last_of(const std::vector<Expr>& indices) const;
};

/// With the operand on the right whose elements lie as those of the result do. Nothing where the block is
/// another one. Rows or columns may be none.
std::optional<Contraction> contraction(const Function& program, const schedule::BlockRef& block);

}  // namespace ardea::rules
