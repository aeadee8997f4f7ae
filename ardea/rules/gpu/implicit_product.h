#pragma once

#include <optional>

#include "ardea/rules/analysis/contraction.h"
#include "ardea/rules/cpu/padded_product.h"
#include "ardea/rules/rule.h"

namespace ardea::rules {

/// How a factor or a result lies in memory, seen as a matrix.
struct MatrixSource {
  std::int64_t run = 1;     ///< elements of a row that lie side by side, a multiple of rows' beginnings
  bool along_rows = false;  ///< what lies side by side are rows' first elements
  /// Where neighbouring rows are windows that overlap: the indices that they move along. 0: rows have nothing
  /// in common.
  std::int64_t window_axes = 0;
  bool has_even_rows = false;  ///< each begins as far behind the one before it
};

/// A sum of products as a product of matrices of which the factors are nowhere: what would fill them is
/// computed where they are copied, and what takes the sums to the result knows where each belongs.
struct ImplicitProduct {
  ConvertedProduct product;
  BlockRef left, right;                        ///< that copy the factors
  std::int64_t left_read = 0, right_read = 1;  ///< the factors' places among what the block of sums reads
  MatrixSource left_source, right_source, result;
};

/// A sum of products, and what is computed of it element by element.
struct ConvertedContraction {
  BlockRef sums;
  Contraction contraction;
  std::optional<BlockRef> converter = {};
};

/// That the stage is, or of whose sums it makes the result; nothing where it is none.
std::optional<ConvertedContraction> contraction_of_stage(const Function& program, const BlockRef& stage);

/// The same on a GPU; nothing where it is none, or too small
/// for tiles.
std::optional<ConvertedContraction> contraction_in_tiles(const Derivation& d, const BlockRef& stage);

/// Its form as matrices, left for the rules for products; whatever it is.
void take_implicit_product(Derivation& d, const BlockRef& stage);

/// Leaves an ImplicitProduct of sums of products that are none of matrices, convolutions first of all, to the
/// rules for products.
Rule implicit_product();

}  // namespace ardea::rules
