#pragma once

#include <optional>
#include <vector>

#include "ardea/rules/analysis/matrix_product.h"
#include "ardea/rules/analysis/stage.h"

namespace ardea::rules {

/// A product, stages that take each row of its results for itself, and a product whose left operand they
/// make:
///
///   S[batch …, i, j] = Σ …;   stages of rows i;   out[batch …, i, n] = Σ_j P[batch …, i, j] · V[batch …, j,
///   n]
///
/// What lies between is read by nobody else. So all of it can be made for some rows at a time.
struct RowChain {
  MatrixProduct first, last;
  schedule::BlockRef first_sums, last_sums;
  std::vector<Stage> between;  ///< in the program's order; none where the first results are the operand
  std::size_t axes = 1;        ///< the batches, and the rows
  std::int64_t rows() const { return last.sizes.m; }
  std::int64_t row_length() const { return last.sizes.k; }
  /// A stage between that makes whole rows; the others make a number of each row.
  bool makes_rows(const Stage& stage) const { return stage.spatial > axes; }
};

/// The chain whose last product is the block; nothing where a stage between takes something of another row,
/// or something else that differs from row to row.
std::optional<RowChain> row_chain_to(const Function& program, const schedule::BlockRef& last);

}  // namespace ardea::rules
