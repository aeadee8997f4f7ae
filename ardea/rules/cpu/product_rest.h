#pragma once

#include "ardea/rules/derivation.h"

/// What becomes of the rows and columns of a product that whole tiles of it leave over.

namespace ardea::rules {

/// Under a guard; in a nest of its own; or computed in whole tiles, of operands filled up with zeros.
enum class Rest { guarded, cut, padded };

struct LeftOver {
  Rest rows = Rest::guarded, columns = Rest::guarded;

  bool is(Rest rest) const { return rows == rest || columns == rest; }
  bool is_guarded() const { return rows == Rest::guarded && columns == Rest::guarded; }
};

/// What there is to choose from: of an axis that tiles divide there is nothing.
struct LeftOverChoices {
  bool rows_cut = false, columns_cut = false, rows_padded = false, columns_padded = false;
};

/// One question about both axes. It is asked where no other was answered against the model, and where the
/// product is all that the program reduces: ways of several stages multiply, and few of them are followed.
LeftOver choose_left_over(Derivation& d, const BlockRef& sums, const std::string& name,
                          const LeftOverChoices& choices);

/// Those of the sizes of tiles that leave something over of the extent.
std::vector<std::int64_t> leaving_over(std::vector<std::int64_t> tiles, std::int64_t extent);
/// The largest of them that is not larger than the model's, which may leave nothing; else the smallest.
std::int64_t model_leaving_over(const std::vector<std::int64_t>& tiles, std::int64_t model);

/// A product in loops over batches, rows, columns and steps whose sums are `out`.
struct ProductToCut {
  BlockRef sums;
  std::size_t batches = 0;
  std::string out;
  Number tile_rows, tile_columns;
};

/// The loops of the block: two of an axis that was cut, over tiles and over what is in one; one of another.
struct WholeTiles {
  std::vector<LoopRef> rows, columns;
  LoopRef steps;
  /// Over the tiles of what was cut off, a loop for each nest that has several: for threads.
  std::vector<LoopRef> rests = {};
};

/// Leaves whole tiles to the block, and schedules what is cut off from them: sums in registers over all
/// steps, of operands as they lie.
WholeTiles cut_off(Derivation& d, const ProductToCut& product, const LeftOver& left_over);

}  // namespace ardea::rules
