#pragma once

#include <optional>

#include "ardea/rules/cpu/padded_product.h"
#include "ardea/rules/rule.h"

namespace ardea::rules {

/// How a factor or a result lies in memory, seen as a matrix.
struct MatrixSource {
  std::int64_t run = 1;     ///< elements of a row that lie side by side, a multiple of rows' beginnings
  bool along_rows = false;  ///< what lies side by side are rows' first elements
};

/// A sum of products as a product of matrices of which the factors are nowhere: what would fill them is
/// computed where they are copied, and what takes the sums to the result knows where each belongs.
struct ImplicitProduct {
  ConvertedProduct product;
  BlockRef left, right;                        ///< that copy the factors
  std::int64_t left_read = 0, right_read = 1;  ///< the factors' places among what the block of sums reads
  MatrixSource left_source, right_source, result;
};

/// Leaves an ImplicitProduct of sums of products that are none of matrices, convolutions first of all, to the
/// rules for products.
Rule implicit_product();

}  // namespace ardea::rules
