#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ardea/rules/derivation.h"
#include "ardea/rules/gpu/block_tile.h"
#include "ardea/rules/gpu/implicit_product.h"
#include "ardea/rules/gpu/panel_copy.h"

/// What products on GPUs share, whoever multiplies: a block makes a tile of the result, panels of both
/// factors go through shared memory, and what is made of the sums is made in the same launch.

namespace ardea::rules {

/// A product that no rule has taken yet: of plain matrices, or left by another rule (implicit_product.h).
struct OpenProduct {
  ImplicitProduct product;
  bool is_implicit = false;  ///< else nothing makes copies of its factors yet
};

/// That the stage is, or of whose sums it makes the result; nothing where it is none, or most of a tile would
/// be padding: what is so small is quicker elsewhere.
std::optional<OpenProduct> open_product(const Derivation& d, const BlockRef& stage);

class BlockProduct {
 protected:
  BlockProduct(Derivation& d, const OpenProduct& given);

  std::size_t batches() const { return given_.product.batches; }
  std::int64_t batch_count() const;

  /// Structure, so a way and no number.
  std::int64_t choice(const std::string& question, const std::vector<std::int64_t>& values,
                      std::int64_t model);
  /// All tiles that there may be, and the model's: what is padded for one of them is so for all.
  void use_tiles(std::vector<BlockTile> all, const BlockTile& model);
  /// A block that had more than there is would be idle in part.
  void no_idle_tiles(const Number& tile, std::int64_t least, std::int64_t size, const std::string& what);

  /// The copies of both factors in shared memory, a_ and b_.
  void copy_factors();
  /// result_, which takes the sums out of memory of that scope to the result.
  void take_sums_from(const std::string& scope);
  /// What takes them to it does more than to convert them.
  bool computes_results() const;

  /// Of a loop over so much how many tiles there are.
  Number tile_count(bool is_padded, std::int64_t size, const Expr& tile) const;
  /// Tiles become blocks, with the loops over batches.
  void blocks_of(const LoopRef& rows, const LoopRef& columns);

  /// By all threads of the block together, each warp runs of some rows. Rows of shared memory lie `apart`
  /// elements further from each other than they are long. Gives how many accesses a thread has.
  Number copy_panel(const std::string& name, const BlockRef& copy, const PanelCopy& how, std::int64_t apart);
  /// How many boxes of 64 rows or columns a panel of a_ or b_ is.
  Number boxes_of(const std::string& name, const BlockRef& copy);
  /// Where that is asked for, what are rows in memory are columns in shared memory.
  void turn_panel(const BlockRef& copy, const PanelCopy& how);

  /// Keeps the numbers to those whose threads have as many registers, which hold what is named.
  void spill_nothing(const Expr& registers, const std::string& what);

  /// Sums lie in fragments of so many rows and columns, one after the other, and begin as what the
  /// instruction `zero` makes them. Inside of the loops over warps stand as many.
  struct Fragments {
    std::int64_t rows, columns;
    std::string zero;
    std::size_t loops_in_warp;
    bool are_warps_in_turn = false;  ///< the next row of fragments is the next warp's
  };
  void begin_fragments(const Fragments& how);

  /// When all stands where it shall, from the inside out: each step after a loop is bound asks anew whether
  /// its iterations still have what is their own.
  void bind();
  void finish();

  /// "lambda b0, b1, m, n: (b0, b1, …)"
  std::string layout(const std::string& axes, const std::string& places) const;

  Derivation& d_;
  schedule::Schedule& s_;
  const ImplicitProduct& factors_;
  const bool is_implicit_;
  const ConvertedProduct& given_;
  const ProductSizes& sizes_;
  const std::int64_t warp_;
  BlockRef sums_, a_, b_, result_;
  Number warps_m_, warps_n_, rows_, columns_, depth_;  ///< of a block's tile
  bool pads_m_ = false, pads_n_ = false, pads_k_ = false;
  LoopRef block_, panel_loop_;
  std::vector<LoopRef> warp_rows_, warp_columns_, lanes_, vectors_;  ///< what becomes threads and their lanes

 private:
  /// A number that follows from the tiles.
  struct Extent {
    Number now;
    std::function<std::int64_t(const BlockTile&)> at;
  };
  Number parts_of(const std::string& name, const Extent& whole, const Extent& part);
  bool exceeds_second_cache() const;
  void group_blocks();

  std::vector<BlockTile> tiles_;
  BlockTile model_tile_;
  std::optional<BlockRef> unpad_;
  std::vector<std::pair<LoopRef, std::string>> blocks_;
};

}  // namespace ardea::rules
