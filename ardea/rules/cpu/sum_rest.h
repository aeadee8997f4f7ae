#pragma once

#include "ardea/rules/derivation.h"

/// What becomes of the rows and columns of sums that whole tiles of them leave over.

namespace ardea::rules {

/// Under a guard; in a nest of its own; or computed in whole tiles, of operands filled up with zeros.
enum class Rest { guarded, cut, padded };

struct LeftOver {
  Rest rows = Rest::guarded, columns = Rest::guarded;

  bool is(Rest rest) const { return rows == rest || columns == rest; }
  bool is_guarded() const { return rows == Rest::guarded && columns == Rest::guarded; }
  friend bool operator==(const LeftOver&, const LeftOver&) = default;
};

/// What there is to choose from: of an axis that tiles divide there is nothing.
struct LeftOverChoices {
  bool rows_cut = false, columns_cut = false, rows_padded = false, columns_padded = false;
  LeftOver model = {};  ///< where that can be had
};

/// One question about both axes. It is asked where no other was answered against the model, and where the
/// sums are all that the program reduces: ways of several stages multiply, and few of them are followed.
LeftOver choose_left_over(Derivation& d, const BlockRef& sums, const std::string& name,
                          const LeftOverChoices& choices);

/// Those of the sizes of tiles that leave something over of the extent.
std::vector<std::int64_t> leaving_over(std::vector<std::int64_t> tiles, std::int64_t extent);
/// The largest of them that is not larger than the model's, which may leave nothing; else the smallest.
std::int64_t model_leaving_over(const std::vector<std::int64_t>& tiles, std::int64_t model);

/// One axis of a tile: how long it is, and which tiles of it there are, of whole multiples and of its
/// divisors, by whatever becomes of the rest.
struct TileAxis {
  std::int64_t extent = 1, most = 1, multiple = 1, model = 1;

  std::vector<std::int64_t> sizes(Rest rest) const;
  /// Whether the model's tiles leave something over, and others that do can be had so.
  bool offers(Rest rest) const;
  /// Out of sizes(rest).
  schedule::Number number(Derivation& d, const std::string& name, Rest rest) const;
};

/// The loop over tiles and the one over what is in one: under a guard, or of an extent that was padded.
std::vector<LoopRef> split_into_tiles(Derivation& d, const LoopRef& loop, const Expr& extent,
                                      const schedule::Number& tile, Rest rest);

/// Sums whose loops are: some around all nests, rows, columns, some that every nest has for itself, and all
/// that reduce.
struct SumsToCut {
  BlockRef sums;
  std::size_t around = 0, others = 0;
  std::string out;
  schedule::Number tile_rows, tile_columns;
  /// Where in the result, counted from its last index, rows and columns are.
  std::size_t result_rows = 2, result_columns = 1;
};

/// A nest of sums: two loops of an axis that is in tiles, over them and over what is in one; one of another.
struct SumNest {
  std::vector<LoopRef> rows, columns, others, steps;
};

struct CutSums {
  SumNest whole;               ///< the block's, of whole tiles, not in order yet
  std::vector<SumNest> rests;  ///< with sums in registers, of operands as they lie
};

/// Leaves whole tiles to the block, and schedules what is cut off from them.
CutSums cut_off(Derivation& d, const SumsToCut& sums, const LeftOver& left_over);

/// The loops in order: tiles of columns, others, tiles of rows, steps, and what is in a tile, whose sums over
/// all steps are kept in registers.
void sum_in_registers(Derivation& d, const SumsToCut& sums, const SumNest& nest);

}  // namespace ardea::rules
