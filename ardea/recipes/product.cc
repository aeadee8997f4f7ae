#include "ardea/recipes/product.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/schedule/primitives/find/find.h"
#include "ardea/schedule/primitives/loops/annotate.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/cache_read.h"
#include "ardea/schedule/primitives/memory/stage_mem.h"
#include "ardea/schedule/primitives/memory/transform_layout.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/support/ceil_div.h"

namespace ardea::recipes {

using namespace schedule;

namespace {

/// Products below that are done before another thread has begun.
constexpr std::int64_t least_products_a_thread = std::int64_t{1} << 18;

/// Rows of a matrix that are asked for early enough are read as fast as panels that were made of them. So
/// many tiles of rows must read a panel before it has paid for itself.
constexpr std::int64_t many_tiles = 24;

class Steps {
 public:
  Steps(Schedule& s, const Product& product, const target::Target& target)
      : s_(s), product_(product), target_(target), block_(s.get_block(product.name)) {
    tile_ = choose_tile(product.sizes, product.type, target);
    tile_rows_ = std::min(tile_.rows, sizes().m);
    tile_columns_ = std::min(tile_.columns(), sizes().n);
    blocks_ = choose_blocks(sizes(), tile_, product.type, target);
  }

  void run() {
    pack();
    split_loops();
    sum_in_registers();
    place_panels();
    ask_ahead();
    use_threads();
  }

 private:
  const ProductSizes& sizes() const { return product_.sizes; }

  /// Panels of the right operand are read again for each tile of rows. Making them pays where there are many,
  /// and it would not stay in the cache anyway; or where its rows are not what vectors are loaded from.
  bool packs_right() const {
    if (product_.transposed || product_.packing == Packing::ahead) return true;
    return sizes().m > many_tiles * tile_rows_ &&
           sizes().k * sizes().n * product_.type.bytes() > second_cache_bytes(target_) / 4;
  }

  /// Where instructions multiply by a lane, a column of the left operand is a vector. Elsewhere single
  /// elements are read, from wherever they are, but not from rows that fall onto each other in the
  /// first cache.
  bool packs_left() const {
    if (product_.left_maker) return true;
    if (takes_lanes()) return sizes().n > 2 * tile_columns_;
    const target::Cache* first = target_.cache(1);
    const std::int64_t way =
        first != nullptr && first->ways ? first->bytes / *first->ways : target_.core.page_bytes;
    const std::int64_t row = sizes().k * product_.type.bytes();
    return sizes().n > 4 * tile_columns_ && sizes().m * row > second_cache_bytes(target_) / 2 &&
           row % way == 0;
  }

  bool takes_lanes() const { return target_.arch == target::Arch::aarch64; }

  /// "b0, b1, " for the indices of batches.
  std::string batch_names() const {
    std::string names;
    for (std::size_t i = 0; i < product_.batches; ++i) names += fmt::format("b{}, ", i);
    return names;
  }

  /// What makes the left operand works for all columns at once.
  bool makes_left_once() const { return product_.left_maker && blocks_.columns < sizes().n; }

  void pack_left() {
    if (takes_lanes()) {
      const std::string b = batch_names();
      // Rows beyond the last one are never read: only where the panel is a copy are they filled.
      const std::optional<double> padding = product_.left_maker ? std::nullopt : std::optional<double>(0.0);
      const auto added = s_.blocks(
          TransformLayout{block_, product_.left,
                          fmt::format("lambda {0}i, k: ({0}i // {1}, k, i % {1})", b, tile_rows_), padding});
      if (!product_.left_maker) left_ = added.at(0);
    } else if (!product_.left_maker || makes_left_once()) {
      left_ = s_.blocks(CacheRead{block_, 0, "global"})[0];  // rows close together
    }
  }

  void pack() {
    const std::string b = batch_names();
    if (packs_left()) pack_left();
    if (packs_right())
      right_ = s_.blocks(TransformLayout{block_, product_.right,
                                         fmt::format("lambda {0}{1}: ({0}j // {2}, k, j % {2})", b,
                                                     product_.transposed ? "j, k" : "k, j", tile_columns_),
                                         0.0})[0];
  }

  void split_loops() {
    const std::vector<LoopRef> loops = s_.get_loops(block_);
    const std::size_t first = product_.batches;
    const auto two = [&](const LoopRef& loop, std::int64_t inner) {
      return s_.loops(Split{loop, {std::nullopt, inner}});
    };
    const auto k = two(loops[first + 2], blocks_.steps);
    const auto i = two(loops[first], tile_rows_);
    const auto ii = two(i[0], row_tiles_of_a_thread());
    const auto j = two(loops[first + 1], tile_columns_);
    const auto jj = two(j[0], std::max<std::int64_t>(blocks_.columns / tile_.columns(), 1));
    s_.apply(Reorder{{k[0], jj[0], ii[0], ii[1], jj[1], k[1], i[1], j[1]}});
    step_blocks_ = k[0];
    column_blocks_ = jj[0];
    row_blocks_ = ii[0];
    column_tiles_ = jj[1];
    row_tiles_ = ii[1];
    steps_ = k[1];
    tile_loops_ = {i[1], j[1]};
  }

  /// The sums of one tile and one block of steps are registers; the first block of steps stores them, the
  /// others add them to what is there.
  void sum_in_registers() {
    const auto around = s_.get_loops(block_);
    const auto depth =
        static_cast<std::size_t>(std::find(around.begin(), around.end(), steps_) - around.begin());
    const std::string sums = product_.name;
    const auto added = s_.blocks(StageMem{steps_, sums, "register", {}, /*accumulate=*/true});
    s_.apply(Unroll{tile_loops_[0]});
    s_.apply(Vectorize{tile_loops_[1]});
    // Rows are written out, columns are vectors. A loop of one iteration is none there.
    for (const BlockRef& block : added) {
      const std::vector<LoopRef> loops = s_.get_loops(block);
      if (tile_columns_ > 1) s_.apply(Vectorize{loops.back()});
      if (tile_rows_ > 1) s_.apply(Unroll{loops[depth]});
    }
  }

  /// Panels of the right operand are made for one block of steps and columns, which stays in the cache while
  /// all rows use it; a panel of the left one where it is used, again for each block of columns, except where
  /// it is more than a copy.
  void place_panels() {
    if (right_ && product_.packing == Packing::ahead) {
      write_panels_ahead();
    } else if (right_) {
      s_.apply(ComputeAt{*right_, column_blocks_, /*preserve_unit_loops=*/true});
      const std::vector<LoopRef> loops = s_.get_loops(*right_);
      const std::size_t panel = loops.size() - 3;  // panels, steps, columns
      s_.apply(Vectorize{loops[panel + 2]});
      if (!product_.transposed) s_.apply(Reorder{{loops[panel + 1], loops[panel]}});
      right_loop_ = product_.transposed ? loops[panel] : loops[panel + 1];
    }
    if (left_) {
      s_.apply(ComputeAt{*left_, row_tiles_, /*preserve_unit_loops=*/true});
      const std::vector<LoopRef> loops = s_.get_loops(*left_);
      if (takes_lanes()) s_.apply(Reorder{{loops[loops.size() - 1], loops[loops.size() - 2]}});
    }
    if (product_.left_maker) {
      const LoopRef place = makes_left_once() ? step_blocks_ : row_tiles_;
      s_.apply(ComputeAt{*product_.left_maker, place, /*preserve_unit_loops=*/true});
      const std::vector<LoopRef> loops = s_.get_loops(*product_.left_maker);
      if (makes_left_once()) left_loop_ = loops[loops.size() - 2];  // rows
      s_.apply(Vectorize{loops.back()});
    }
  }

  void ask_for(const LoopRef& loop, const std::string& buffer, std::int64_t distance) {
    s_.apply(Pragma{loop, "prefetch", Argument(std::vector<Argument>{Argument(buffer), Argument(distance)})});
  }

  /// While the sums of one tile are stored, those of the next one are asked for; and rows of a panel that
  /// comes from the second cache some steps before they are used.
  void ask_ahead() {
    ask_for(column_tiles_, product_.name, tile_columns_);
    const target::Cache* first = target_.cache(1);
    const std::int64_t block = blocks_.steps * blocks_.columns * product_.type.bytes();
    if (first != nullptr && block <= first->bytes / 2) return;
    const std::int64_t row = right_ ? tile_columns_ : sizes().n;
    ask_for(steps_, right_ ? product_.right + "_packed" : product_.right, steps_ahead(tile_, target_) * row);
  }

  /// All panels of the right operand, before everything else. Loops of one iteration are none there.
  void write_panels_ahead() {
    std::vector<LoopRef> loops = s_.get_loops(*right_);
    if (tile_columns_ > 1) {
      s_.apply(Vectorize{loops.back()});
      loops.pop_back();
    }
    if (!loops.empty()) right_loop_ = loops.front();
  }

  bool uses_threads() const {
    const std::int64_t products = sizes().m * sizes().n * sizes().k;
    return target_.cores >= 2 && products >= 2 * least_products_a_thread;
  }

  /// As many tiles of rows for each thread as for the others, where there are tiles for all.
  std::int64_t row_tiles_of_a_thread() const {
    const std::int64_t tiles = ceil_div(sizes().m, tile_.rows);
    if (!uses_threads() || tiles < target_.cores) return tiles;
    return ceil_div(tiles, target_.cores);
  }

  void use_threads() {
    if (!uses_threads()) return;
    if (left_loop_) s_.apply(Parallel{*left_loop_});
    if (right_loop_) s_.apply(Parallel{*right_loop_});
    const bool shares_rows = row_tiles_of_a_thread() * tile_.rows < sizes().m;
    s_.apply(Parallel{shares_rows ? row_blocks_ : column_tiles_});
  }

  Schedule& s_;
  const Product& product_;
  const target::Target& target_;
  BlockRef block_;
  ProductTile tile_;
  std::int64_t tile_rows_ = 1, tile_columns_ = 1;
  Blocks blocks_;
  std::optional<BlockRef> left_, right_;
  LoopRef step_blocks_, column_blocks_, row_blocks_, column_tiles_, row_tiles_, steps_;
  std::optional<LoopRef> left_loop_, right_loop_;
  std::vector<LoopRef> tile_loops_;
};

}  // namespace

void schedule_product(Schedule& s, const Product& product, const target::Target& target) {
  Steps(s, product, target).run();
}

}  // namespace ardea::recipes
