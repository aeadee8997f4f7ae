#pragma once

#include <optional>

#include "ardea/ir/function.h"
#include "ardea/rules/analysis/stage.h"
#include "ardea/rules/model/product_sizes.h"
#include "ardea/schedule/program/reference.h"

/// Products of matrices, found by their index expressions.

namespace ardea::rules {

/// out[batch …, m, n] += left[batch …, m, k] · right[batch …, k, n], in loops (batch …, m, n, k) around the
/// block.
struct MatrixProduct {
  Buffer out, left, right;
  ProductSizes sizes;  ///< typical ones where only a call knows them
  Expr m, n, k;        ///< as the program says them
  std::size_t batches = 0;
  bool transposed = false;  ///< right[batch …, n, k]
};

/// Nothing where the block is another one.
std::optional<MatrixProduct> matrix_product(const Function& program, const schedule::BlockRef& ref,
                                            Lengths lengths = Lengths::known);

}  // namespace ardea::rules
