#pragma once

#include <string>

#include "ardea/rules/gpu/block_product.h"
#include "ardea/rules/gpu/mma_unit.h"
#include "ardea/rules/gpu/tensor_tiles.h"

/// What products on tensor instructions share whose sums lie in fragments of 16 × 8, whoever brings the
/// factors to them: copies under way, how results leave the fragments, and registers.

namespace ardea::rules {

class WarpProduct : protected BlockProduct {
 protected:
  WarpProduct(Derivation& d, const OpenProduct& given, const MmaUnit& unit);

  /// The copies of both factors in shared memory; the sums in fragments; what takes them to the result, by
  /// way of shared memory where elements are more than stored. What is only converted is so before it gets
  /// there, where it takes fewer bytes then.
  /// Where they may be, results that are only stored leave fragments for memory at once, as a way.
  void make_stages(bool may_be_direct);

  /// Rows of B lie in shared memory by k, or by n.
  bool has_rows_of_n() const { return given_.product.transposed || turns_b_; }
  /// Whether the first cache keeps what windows share is left open.
  void keep_windows(bool model);

  /// Registers that a thread keeps numbers in which it needs for so many accesses.
  static Expr kept(const Number& accesses, const PanelCopy& copy);

  /// Whether a warp's rows of fragments follow each other, or those of all warps do before its next.
  enum class RowsOfWarps { one_after_the_other, in_turn };
  void place_results(RowsOfWarps rows);

  const MmaUnit unit_;
  const bool turns_b_;  ///< its rows of k become rows of n on their way to shared memory
  const TensorWork work_;
  BlockRef staged_;
  bool is_direct_ = false;  ///< results leave fragments for memory
  Number frags_m_, pairs_n_, frags_n_;

 private:
  TensorWork work(const OpenProduct& given) const;
  bool may_pad_rows() const;
  std::optional<DataType> type_of_converted() const;
  bool leaves_fragments_in_pairs() const;
  std::int64_t stored_lanes() const;
  void store_in_order(const LoopRef& rows, const LoopRef& columns);
  void store_by_pairs(const LoopRef& rows, const LoopRef& columns);

  std::string store_;
};

}  // namespace ardea::rules
