#include "ardea/rules/cpu/packed_product.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/ir/ceil_div.h"
#include "ardea/rules/analysis/producers.h"
#include "ardea/rules/cpu/padded_product.h"
#include "ardea/rules/cpu/sum_rest.h"
#include "ardea/rules/model/blocking.h"
#include "ardea/rules/model/candidates.h"
#include "ardea/schedule/primitives/loops/annotate.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/cache_read.h"
#include "ardea/schedule/primitives/memory/set_scope.h"
#include "ardea/schedule/primitives/memory/stage_mem.h"
#include "ardea/schedule/primitives/memory/transform_layout.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/place/compute_inline.h"
#include "ardea/schedule/primitives/place/reverse_compute_at.h"
#include "ardea/schedule/primitives/reduce/decompose_reduction.h"
#include "ardea/schedule/primitives/reduce/pad_einsum.h"
#include "ardea/schedule/program/tree.h"
#include "ardea/support/ceil_div.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// Products below that are done before another thread has begun.
constexpr std::int64_t least_products_a_thread = std::int64_t{1} << 18;

/// Wider tiles leave registers for a row or two: of these only those that divide all columns.
constexpr std::int64_t most_vectors = 8;

/// A longer sum leaves its panels in no cache by the time that they are read again.
constexpr std::int64_t longest_whole_sum = 2048;

class Steps {
 public:
  Steps(Derivation& d, const ConvertedProduct& given)
      : d_(d),
        s_(d.steps()),
        product_(given.product),
        block_(given.sums),
        name_(path_to(s_.program(), block_)->block().name),
        type_(product_.out->type),
        maker_(elementwise_producer(s_.program(), block_, product_.left)),
        may_share_blocks_(!given.converter && threads() >= 4) {
    // What is made of the sums, element by element, is made of them in their registers: where they are whole
    // there.
    const bool fits = sizes().k <= longest_whole_sum;
    if (given.converter &&
        d_.whether(fmt::format("{} made of {} in registers", name_of(*given.converter), name_), fits))
      epilogue_ = given.converter;
    const RightOperand model = right_by_model();
    choose_sizes(model);
    left_over_ = choose_left_over(d_, block_, name_, choices_of_left_over());
    const bool in_panels = packs_right(model == RightOperand::in_panels);
    choose_sizes(in_panels ? RightOperand::in_panels : RightOperand::in_place);
    packs_right_ = in_panels;
  }

  void run() {
    choose_numbers();
    if (left_over_.is(Rest::cut))
      cut_ = cut_off(d_,
                     {.sums = block_,
                      .around = product_.batches,
                      .out = product_.out->name,
                      .tile_rows = tile_rows_,
                      .tile_columns = tile_columns_},
                     left_over_);
    if (left_over_.is(Rest::padded)) pad();
    pack();
    split_loops();
    if (epilogue_)
      sum_whole();
    else
      sum_in_registers();
    place_panels();
    ask_ahead();
    use_threads();
    d_.finish(block_);
    if (maker_) d_.finish(*maker_);
    if (epilogue_) d_.finish(*epilogue_);
  }

 private:
  const ProductSizes& sizes() const { return product_.sizes; }
  std::string name_of(const BlockRef& block) const { return path_to(s_.program(), block)->block().name; }
  const std::string& result() const {
    return epilogue_ ? (*path_to(s_.program(), *epilogue_)->block().writes)[0].buffer->name
                     : product_.out->name;
  }
  const target::Target& target() const { return d_.target(); }
  bool sums_are_whole() const { return epilogue_ || left_over_.is(Rest::padded); }
  std::int64_t rows_by_model() const { return std::min(tile_.rows, sizes().m); }
  std::int64_t columns_by_model() const { return std::min(tile_.columns(), sizes().n); }

  /// Of axes that the model's tiles do not divide. What makes the left operand, or the result of the sums,
  /// stands at one nest; padded tiles store their sums once, so that these are whole in registers. Columns
  /// that are cut or padded are one block.
  LeftOverChoices choices_of_left_over() const {
    const auto& [m, n, k] = sizes();
    // Beside a size that only a call knows, sums of what is left over are not shown to fit the registers.
    for (const Expr& length : {product_.m, product_.n, product_.k})
      if (!constant_int(length)) return {};
    const bool rows = m % rows_by_model() != 0, columns = n % columns_by_model() != 0,
               lanes = n % tile_.lanes != 0;
    const bool cuts = !maker_ && !epilogue_, pads = !maker_ && k <= longest_whole_sum;
    const bool fits = k * n * type_.bytes() <= second_cache_bytes(target()) / 2;
    return {.rows_cut = cuts && rows && !heights(Rest::cut).empty(),
            .columns_cut = cuts && columns && blocks_.columns >= n && !widths(Rest::cut).empty(),
            .rows_padded = pads && rows && !heights(Rest::padded).empty(),
            .columns_padded = pads && fits && (columns || lanes) && !widths(Rest::padded).empty()};
  }

  /// Other questions than what is left over are open where that is guarded: elsewhere the model answers.
  bool whether(const std::string& question, bool model) {
    return left_over_.is_guarded() ? d_.whether(question, model) : model;
  }

  /// The sizes of the tile of sums and of the blocks around it.
  void choose_numbers() {
    const auto& [m, n, k] = sizes();
    const std::vector<std::int64_t> rows = heights(left_over_.rows), columns = widths(left_over_.columns);
    const std::int64_t row_model = model_of(rows, left_over_.rows, rows_by_model()),
                       column_model = model_of(columns, left_over_.columns, columns_by_model());
    tile_rows_ = d_.number(name_ + "_rows", rows, row_model);
    tile_columns_ = d_.number(name_ + "_columns", columns, column_model);
    if (!sums_are_whole()) steps_of_block_ = d_.number(name_ + "_steps", group_sizes(k), blocks_.steps);
    if (left_over_.rows == Rest::guarded) {
      row_group_ = d_.number(name_ + "_row_tiles", group_sizes(m, rows, row_model),
                             row_tiles_of_a_thread(ceil_div(m, tile_.rows)));
      keep_to_what_there_is(row_group_, tile_rows_, product_.m, "tiles of rows");
    }
    if (left_over_.columns != Rest::guarded) return;
    const std::int64_t tiles = std::max<std::int64_t>(blocks_.columns / tile_.columns(), 1);
    const std::int64_t model =
        grid_.is_of_blocks() ? equal_groups(ceil_div(n, tile_.columns()), grid_.columns, tiles) : tiles;
    column_group_ = d_.number(name_ + "_column_tiles", group_sizes(n, columns, column_model), model);
    keep_to_what_there_is(column_group_, tile_columns_, product_.n, "tiles of columns");
  }

  static std::int64_t model_of(const std::vector<std::int64_t>& tiles, Rest rest, std::int64_t model) {
    return rest == Rest::guarded ? model : model_leaving_over(tiles, model);
  }

  /// What nothing is left over of is the business of guards.
  std::vector<std::int64_t> heights(Rest rest) const {
    std::vector<std::int64_t> all = tile_sizes(sizes().m, target().vector_registers);
    return rest == Rest::guarded ? all : leaving_over(all, sizes().m);
  }

  /// Columns of a tile: whole vectors, and what divides all of them, as far as registers go. Of panels of one
  /// column each, of so many as only a call knows, it is not proved that their copy has one, too.
  std::vector<std::int64_t> widths(Rest rest) const {
    const std::int64_t lanes = tile_.lanes, widest = target().vector_registers * lanes;
    const std::int64_t most = std::min(most_vectors * lanes, widest);
    if (rest != Rest::guarded) {
      // Padded, the tile of all columns is whole vectors, too.
      const std::int64_t columns = rest == Rest::padded ? round_up(sizes().n, lanes) : sizes().n;
      std::vector<std::int64_t> vectors = leaving_over(tile_sizes(columns, most, lanes), sizes().n);
      std::erase_if(vectors, [&](std::int64_t width) { return width % lanes != 0; });
      return vectors;
    }
    std::vector<std::int64_t> all = tile_sizes(sizes().n, most, lanes);
    for (const std::int64_t divisor : tile_sizes(sizes().n, widest, widest)) all.push_back(divisor);
    if (!constant_int(product_.n)) std::erase(all, 1);
    return all;
  }

  /// A group of more tiles than there are would be the same program as one of all.
  void keep_to_what_there_is(const Number& group, const Number& tile, const Expr& extent,
                             const std::string& what) {
    if (!constant_int(extent)) return;
    const Expr of_tile = value_of(tile), of_group = value_of(group);
    d_.keep_to(
        (of_group - 1) * of_tile < extent, what,
        fmt::format("{}: a group holds no more {} than {} numbers make", name_, what, *constant_int(extent)));
  }

  /// Where rows of the right operand are not what vectors are loaded from, there must be panels.
  RightOperand right_by_model() const {
    if (product_.transposed || d_.packs_weights_ahead()) return RightOperand::in_panels;
    const ProductTile tile = choose_tile(sizes(), type_, target(), RightOperand::in_place);
    const Blocks blocks =
        choose_blocks(sizes(), tile, type_, RightOperand::in_place, target(), sums_are_whole());
    return choose_right(sizes(), blocks.steps, type_, target());
  }
  bool packs_right(bool model) {
    if (product_.transposed || d_.packs_weights_ahead()) return true;
    return whether(fmt::format("{} in panels", product_.right->name), model);
  }

  /// The tile of sums, the blocks around it, and how threads share them, for a right operand so placed.
  void choose_sizes(RightOperand right) {
    tile_ = choose_tile(sizes(), type_, target(), right, threads(), may_share_blocks_);
    blocks_ = choose_blocks(sizes(), tile_, type_, right, target(), sums_are_whole());
    grid_ = choose_grid(sizes(), tile_, target(), right, threads(), may_share_blocks());
  }

  /// Where instructions multiply by a lane, a column of the left operand is a vector. Elsewhere single
  /// elements are read, from wherever they are, but not from rows that fall onto each other in the
  /// first cache.
  bool packs_left() {
    if (maker_) return true;
    return whether(fmt::format("{} in panels", product_.left->name), packing_left_pays());
  }
  bool packing_left_pays() const {
    if (takes_lanes()) return sizes().n > 2 * columns_by_model();
    const target::Cache* first = target().cache(1);
    const std::int64_t way =
        first != nullptr && first->ways ? first->bytes / *first->ways : target().core.page_bytes;
    const std::int64_t row = sizes().k * type_.bytes();
    return sizes().n > 4 * columns_by_model() && sizes().m * row > second_cache_bytes(target()) / 2 &&
           row % way == 0;
  }

  bool takes_lanes() const { return multiplies_by_lanes(target()); }

  /// "b0, b1, " for the indices of batches.
  std::string batch_names() const {
    std::string names;
    for (std::size_t i = 0; i < product_.batches; ++i) names += fmt::format("b{}, ", i);
    return names;
  }

  /// A copy that the sums alone read is left as it lies, or laid out in panels.
  void copy_operand(const BlockRef& copy, bool in_panels, const std::string& map, const Number& tile) {
    if (!in_panels) return;
    const std::string& buffer = path_to(s_.program(), copy)->block().writes->at(0).buffer->name;
    s_.apply(TransformLayout{block_, buffer, IndexText(map, {{"t", tile}})});
  }
  void copy_left(const BlockRef& copy) {
    left_ = copy;
    copy_operand(copy, takes_lanes(), fmt::format("lambda {0}i, k: ({0}i // t, k, i % t)", batch_names()),
                 tile_rows_);
  }
  void copy_right(const BlockRef& copy) {
    right_ = copy;
    copy_operand(copy, true,
                 fmt::format("lambda {0}{1}: ({0}j // t, k, j % t)", batch_names(),
                             product_.transposed ? "j, k" : "k, j"),
                 tile_columns_);
  }

  /// The operands with zeros behind the last row and column, the sums of all of that, and what takes those
  /// that count to the result.
  void pad() {
    std::vector<Number> padding(product_.batches + 3, Number(1));
    if (left_over_.rows == Rest::padded) padding[product_.batches] = tile_rows_;
    if (left_over_.columns == Rest::padded) padding[product_.batches + 1] = tile_columns_;
    const std::vector<BlockRef> added = s_.blocks(PadEinsum{block_, padding});
    if (epilogue_)
      s_.apply(ComputeInline{added.back()});
    else
      epilogue_ = added.back();
    for (std::size_t i = 0; i + 1 < added.size(); ++i) {
      const Buffer& from = path_to(s_.program(), added[i])->block().reads->at(0).buffer;
      from == product_.left ? copy_left(added[i]) : copy_right(added[i]);
    }
  }

  /// Of a nest beside others that read the operands as they lie.
  void pack_copies() {
    const auto copy_of = [&](const Buffer& operand) {
      const auto& reads = *path_to(s_.program(), block_)->block().reads;
      const auto at = std::find_if(reads.begin(), reads.end(),
                                   [&](const BufferRegion& region) { return region.buffer == operand; });
      return s_.blocks(CacheRead{block_, at - reads.begin(), "global", {block_}})[0];
    };
    if (packs_left()) copy_left(copy_of(product_.left));
    if (packs_right_) copy_right(copy_of(product_.right));
  }

  void pack_left() {
    if (takes_lanes()) {
      const std::string b = batch_names();
      // Rows beyond the last one are never read: only where the panel is a copy are they filled.
      const std::optional<double> padding = maker_ ? std::nullopt : std::optional<double>(0.0);
      const auto added = s_.blocks(TransformLayout{
          block_, product_.left->name,
          IndexText(fmt::format("lambda {0}i, k: ({0}i // t, k, i % t)", b), {{"t", tile_rows_}}), padding});
      if (!maker_) left_ = added.at(0);
    } else if (!maker_ || makes_left_once_) {
      left_ = s_.blocks(CacheRead{block_, 0, "global"})[0];  // rows close together
    }
  }

  void pack() {
    // What makes the left operand works for all columns at once, or again for each block of them.
    if (maker_ && !epilogue_)
      makes_left_once_ = d_.whether(fmt::format("{} made once for all columns", product_.left->name),
                                    blocks_.columns < sizes().n);
    if (left_over_.is(Rest::cut)) return pack_copies();
    if (!left_ && packs_left()) pack_left();
    if (!right_ && packs_right_)
      right_ = s_.blocks(TransformLayout{block_, product_.right->name, right_in_panels(), 0.0})[0];
  }

  /// Panels that are made ahead lie by blocks of steps: those of one block, which are in the cache together,
  /// would else lie as far apart as all steps are long, and fall onto each other there.
  IndexText right_in_panels() {
    const std::string b = batch_names(), given = product_.transposed ? "j, k" : "k, j";
    if (d_.packs_weights_ahead() && !sums_are_whole())
      return {fmt::format("lambda {0}{1}: ({0}k // s, j // t, k % s, j % t)", b, given),
              {{"s", steps_of_block_}, {"t", tile_columns_}}};
    return {fmt::format("lambda {0}{1}: ({0}j // t, k, j % t)", b, given), {{"t", tile_columns_}}};
  }

  /// The loops over tiles and over what is in one.
  std::vector<LoopRef> in_tiles(const std::vector<LoopRef>& loops, const Expr& extent, const Number& tile,
                                Rest rest) {
    return rest == Rest::cut ? loops : split_into_tiles(d_, loops[0], extent, tile, rest);
  }

  void split_loops() {
    if (!left_over_.is(Rest::cut)) {
      const std::vector<LoopRef> loops = s_.get_loops(block_);
      const std::size_t first = product_.batches;
      cut_.whole = {{loops[first]}, {loops[first + 1]}, {}, {loops[first + 2]}};
    }
    const auto two = [&](const LoopRef& loop, const Number& inner) {
      return s_.loops(Split{loop, {std::nullopt, inner}});
    };
    // Of whole tiles there are no groups: under a guard of tiles their sums would not be proved to be stored
    // by the iteration that made them.
    const auto groups = [&](const std::vector<LoopRef>& tiles, const Number& group, Rest rest) {
      return rest == Rest::guarded ? two(tiles[0], group) : std::vector<LoopRef>{tiles[0]};
    };
    const auto i = in_tiles(cut_.whole.rows, product_.m, tile_rows_, left_over_.rows);
    const auto ii = groups(i, row_group_, left_over_.rows);
    const auto j = in_tiles(cut_.whole.columns, product_.n, tile_columns_, left_over_.columns);
    const auto jj = groups(j, column_group_, left_over_.columns);
    steps_ = cut_.whole.steps[0];
    std::vector<LoopRef> order;
    if (!epilogue_) {
      const auto k = two(steps_, steps_of_block_);
      step_blocks_ = k[0];
      steps_ = k[1];
      order.push_back(k[0]);
    }
    if (jj.size() > 1) order.push_back(jj[0]);
    order.insert(order.end(), ii.begin(), ii.end());
    order.insert(order.end(), {jj.back(), steps_, i[1], j[1]});
    s_.apply(Reorder{order});
    column_blocks_ = jj[0];
    row_blocks_ = ii[0];
    column_tiles_ = jj.back();
    row_tiles_ = ii.back();
    tile_loops_ = {i[1], j[1]};
  }

  /// The sums of one tile and one block of steps are registers; the first block of steps stores them, the
  /// others add them to what is there.
  void sum_in_registers() {
    const auto added = s_.blocks(StageMem{steps_, product_.out->name, "register", {}, /*accumulate=*/true});
    s_.apply(Unroll{tile_loops_[0]});
    s_.apply(Vectorize{tile_loops_[1]});
    // Rows are written out, columns are vectors.
    for (const BlockRef& block : added) {
      const std::vector<LoopRef> loops = s_.get_loops(block);
      s_.apply(Vectorize{loops.back()});
      s_.apply(Unroll{loops[loops.size() - 2]});
    }
  }

  /// The sums of one tile and all steps are registers, of which the results are made at once.
  void sum_whole() {
    s_.apply(SetScope{block_, 0, "register"});
    s_.apply(ReverseComputeAt{*epilogue_, column_tiles_, /*preserve_unit_loops=*/true});
    const BlockRef first = s_.blocks(DecomposeReduction{block_, steps_})[0];
    for (const BlockRef& block : {block_, first, *epilogue_}) {
      const std::vector<LoopRef> loops = s_.get_loops(block);
      s_.apply(Vectorize{loops.back()});
      s_.apply(Unroll{loops[loops.size() - 2]});
    }
  }

  /// Panels of the right operand are made for one block of steps and columns, which stays in the cache while
  /// all rows use it; a panel of the left one where it is used, again for each block of columns, except where
  /// it is more than a copy.
  void place_panels() {
    if (right_ && d_.packs_weights_ahead()) {
      const std::vector<LoopRef> loops = s_.get_loops(*right_);
      s_.apply(Vectorize{loops.back()});
      right_loop_ = loops.front();
    } else if (right_ && is_copy(left_over_.columns)) {
      place_copy_of_right();
    } else if (right_) {
      s_.apply(ComputeAt{*right_, place_of_right(), /*preserve_unit_loops=*/true});
      const std::vector<LoopRef> loops = s_.get_loops(*right_);
      const std::size_t panel = loops.size() - 3;  // panels, steps, columns
      s_.apply(Vectorize{loops[panel + 2]});
      if (!product_.transposed) s_.apply(Reorder{{loops[panel + 1], loops[panel]}});
      right_loop_ = product_.transposed ? loops[panel] : loops[panel + 1];
    }
    if (left_) {
      s_.apply(ComputeAt{*left_, row_tiles_, /*preserve_unit_loops=*/true});
      const std::vector<LoopRef> loops = s_.get_loops(*left_);
      if (takes_lanes() && !is_copy(left_over_.rows))
        s_.apply(Reorder{{loops[loops.size() - 1], loops[loops.size() - 2]}});
    }
    if (maker_) {
      const LoopRef place = makes_left_once_ ? step_blocks_ : row_tiles_;
      s_.apply(ComputeAt{*maker_, place, /*preserve_unit_loops=*/true});
      const std::vector<LoopRef> loops = s_.get_loops(*maker_);
      if (makes_left_once_) left_loop_ = loops[loops.size() - 2];  // rows
      s_.apply(Vectorize{loops.back()});
    }
  }

  /// Whether an operand's panels are a copy's, which goes through its elements as they lie. Cut off or
  /// padded, an axis has one, and all panels beside a nest that is cut off are.
  bool is_copy(Rest rest) const { return left_over_.is(Rest::cut) || rest == Rest::padded; }

  void place_copy_of_right() {
    // Whole tiles of columns are one block: for a block of steps, or made before all else.
    if (left_over_.columns == Rest::guarded)
      s_.apply(ComputeAt{*right_, column_blocks_, /*preserve_unit_loops=*/true});
    else if (!epilogue_)
      s_.apply(ComputeAt{*right_, step_blocks_, /*preserve_unit_loops=*/true});
    const std::vector<LoopRef> loops = s_.get_loops(*right_);
    const bool transposed = product_.transposed;
    const LoopRef &steps = loops[loops.size() - (transposed ? 1 : 2)],
                  &columns = loops[loops.size() - (transposed ? 2 : 1)];
    const auto panels = s_.loops(Split{columns, {std::nullopt, tile_columns_}});
    if (transposed) s_.apply(Reorder{{steps, panels[1]}});
    s_.apply(Vectorize{panels[1]});
    right_loop_ = transposed ? panels[0] : steps;
  }

  /// For the block of columns that uses them, or for all columns at once.
  LoopRef place_of_right() {
    if (epilogue_ || !left_over_.is_guarded()) return column_blocks_;
    const std::size_t place =
        d_.way(fmt::format("panels of {} made for", product_.right->name),
               {"a block of columns", "a block of steps"}, grid_.is_of_blocks() ? 1 : 0);
    right_is_of_all_columns_ = place == 1;
    return place == 0 ? column_blocks_ : step_blocks_;
  }

  void ask_for(const LoopRef& loop, const std::string& buffer, const Number& distance) {
    s_.apply(Pragma{loop, "prefetch",
                    Argument(std::vector<Argument>{Argument(buffer), Convert<Number>::to(distance)})});
  }

  /// While the sums of one tile are stored, those of the next one are asked for; and rows of a panel that
  /// comes from the second cache some steps before they are used.
  void ask_ahead() {
    ask_for(column_tiles_, result(), tile_columns_);
    const target::Cache* first = target().cache(1);
    const std::int64_t block = blocks_.steps * blocks_.columns * type_.bytes();
    const bool misses = first == nullptr || block > first->bytes / 2;
    // A distance is a number: rows that lie as far apart as only a call knows are not asked for.
    if (!right_ && !constant_int(product_.n)) return;
    // Panels are streams that caches foresee: beside loads of whole vectors of both operands, asking for them
    // takes longer than it saves (6 % on a Neoverse-V1).
    const bool pays = !takes_lanes() || !right_;
    if (!misses || !whether(fmt::format("{} asked for ahead", product_.right->name), pays)) return;
    const std::int64_t ahead = steps_ahead(tile_, target());
    const Number steps = d_.number(name_ + "_ahead", {1, 2, 4, 8, 16, 32}, ahead);
    const Expr row = right_ ? value_of(tile_columns_) : make_int(sizes().n);
    const std::string read =
        right_ ? path_to(s_.program(), *right_)->block().writes->at(0).buffer->name : product_.right->name;
    ask_for(steps_, read, d_.follows(value_of(steps) * row));
  }

  bool uses_threads() const {
    const std::int64_t products = sizes().m * sizes().n * sizes().k;
    return target().cores >= 2 && products >= 2 * least_products_a_thread;
  }

  int threads() const { return uses_threads() ? target().cores : 1; }

  /// Blocks of rows and columns are what is inside one block of steps. Fewer threads are no grid.
  bool may_share_blocks() const { return may_share_blocks_ && !epilogue_ && left_over_.is_guarded(); }

  /// As many tiles for each part of the grid as for the others, in groups of no more than `most`.
  static std::int64_t equal_groups(std::int64_t tiles, std::int64_t parts, std::int64_t most) {
    const std::int64_t of_part = ceil_div(tiles, parts);
    return ceil_div(of_part, ceil_div(of_part, most));
  }

  /// As many tiles of rows for each thread as for the others, where there are tiles for all.
  std::int64_t row_tiles_of_a_thread(std::int64_t tiles) const {
    return ceil_div(tiles, tiles < grid_.rows ? 1 : grid_.rows);
  }

  void use_threads() {
    if (!uses_threads()) return;
    if (left_loop_) s_.apply(Parallel{*left_loop_});
    if (right_loop_) s_.apply(Parallel{*right_loop_});
    for (const SumNest& rest : cut_.rests)
      for (const auto& loops : {rest.rows, rest.columns})
        if (loops.size() > 1) s_.apply(Parallel{loops[0]});
    for (const LoopRef& loop : shared_loops()) s_.apply(Parallel{loop});
  }

  std::vector<LoopRef> shared_loops() {
    const std::int64_t of_a_thread = row_tiles_of_a_thread(ceil_div(sizes().m, tile_.rows));
    std::size_t model = of_a_thread * tile_.rows < sizes().m ? 0 : 1;
    if (!left_over_.is_guarded()) return {model == 0 ? row_blocks_ : column_tiles_};
    std::vector<std::string> answers = {"rows", "columns"};
    // Panels that one block of columns makes for itself would be made between the two loops.
    if (may_share_blocks() && (!right_ || right_is_of_all_columns_ || d_.packs_weights_ahead())) {
      answers.emplace_back("blocks");
      if (grid_.is_of_blocks()) model = 2;
    }
    const std::size_t way = d_.way(name_ + " shared by threads", answers, model);
    if (way == 2) return {column_blocks_, row_blocks_};
    return {way == 0 ? row_blocks_ : column_tiles_};
  }

  Derivation& d_;
  Schedule& s_;
  MatrixProduct product_;
  BlockRef block_;
  std::string name_;
  DataType type_;
  std::optional<BlockRef> maker_;     ///< of the left operand, element by element
  std::optional<BlockRef> epilogue_;  ///< that makes the result of the sums, element by element
  bool may_share_blocks_ = false, packs_right_ = false;
  ProductTile tile_;
  Blocks blocks_;
  ThreadGrid grid_;
  LeftOver left_over_;
  CutSums cut_;
  Number tile_rows_, tile_columns_, steps_of_block_, row_group_, column_group_;
  bool makes_left_once_ = false, right_is_of_all_columns_ = false;
  std::optional<BlockRef> left_, right_;
  LoopRef step_blocks_, column_blocks_, row_blocks_, column_tiles_, row_tiles_, steps_;
  std::optional<LoopRef> left_loop_, right_loop_;
  std::vector<LoopRef> tile_loops_;
};

/// The product of floats that the stage is, or of whose sums it makes the result. What makes the left operand
/// of a product that is scheduled already is no part of this one.
std::optional<ConvertedProduct> float_product(const Derivation& d, const BlockRef& stage) {
  const target::Target& target = d.target();
  if (target.kind != target::Kind::cpu || target.vector_bits < 128) return std::nullopt;
  auto found = product_of_stage(d.steps().program(), stage, Lengths::any);
  if (!found || d.is_finished(found->sums)) return std::nullopt;
  if (found->converter && d.is_finished(*found->converter)) found->converter = std::nullopt;
  const MatrixProduct& product = found->product;
  const DataType type = product.out->type;
  const bool is_float = type == float32 || type == float64;
  return is_float && product.left->type == type && product.right->type == type ? found : std::nullopt;
}

}  // namespace

Rule packed_product() {
  return {.name = "packed product",
          .doc = "a product of matrices: panels for caches around a tile of sums in registers",
          .applies = [](const Derivation& d,
                        const BlockRef& stage) { return float_product(d, stage).has_value(); },
          .apply = [](Derivation& d, const BlockRef& stage) { Steps(d, *float_product(d, stage)).run(); }};
}

}  // namespace ardea::rules
