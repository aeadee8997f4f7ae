#include "ardea/rules/cpu/row_panels.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/rules/analysis/epilogue.h"
#include "ardea/rules/analysis/row_chain.h"
#include "ardea/rules/exact_cut.h"
#include "ardea/rules/model/blocking.h"
#include "ardea/rules/model/candidates.h"
#include "ardea/rules/model/row_panels.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/cache_write.h"
#include "ardea/schedule/primitives/memory/set_scope.h"
#include "ardea/schedule/primitives/memory/transform_layout.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/place/reverse_compute_at.h"
#include "ardea/schedule/primitives/reduce/decompose_reduction.h"
#include "ardea/schedule/program/tree.h"
#include "ardea/support/ceil_div.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// Products below that are done before another thread has begun.
constexpr std::int64_t least_products_of_a_thread = std::int64_t{1} << 18;

/// Steps of a sum that are written out one after another.
constexpr std::int64_t most_steps_written_out = 4, steps_written_out = 2;

/// Wider tiles leave registers for a row or two.
constexpr std::int64_t most_vectors_of_columns = 8;

class PanelSteps {
 public:
  PanelSteps(Derivation& d, const RowChain& chain)
      : d_(d),
        s_(d.steps()),
        chain_(chain),
        type_(chain.last.out->type),
        name_(name_of(chain.last_sums)),
        first_name_(name_of(chain.first_sums)),
        model_(choose_row_panels(chain.first.sizes, chain.last.sizes, type_, d.target())) {}

  /// Nothing where the other way is taken.
  void run() {
    const bool pays = stays_in_cache() &&
                      panels_pay(model_, chain_.first.sizes, chain_.last.sizes, passes(), type_, target());
    if (!d_.whether(fmt::format("{} and {} by panels of rows", first_name_, name_), pays)) return;
    choose_numbers();
    keep_first_sums_in_registers();
    lay_out();
    sum_last();
    place_stages();
    sum_first();
    place_operands();
    use_threads();
    finish();
  }

 private:
  std::string name_of(const BlockRef& block) const { return path_to(s_.program(), block)->block().name; }
  std::string made_by(const BlockRef& block) const {
    return (*path_to(s_.program(), block)->block().writes)[0].buffer->name;
  }
  const target::Target& target() const { return d_.target(); }
  std::int64_t lanes() const { return std::max<std::int64_t>(1, target().vector_bits / type_.bits); }
  std::size_t batches() const { return chain_.axes - 1; }

  /// A panel beside what streams past it: the right operands, which come from a cache, too.
  bool stays_in_cache() const {
    const std::int64_t length = chain_.row_length();
    const std::int64_t streams = length * (chain_.first.sizes.k + chain_.last.sizes.n) * type_.bytes();
    std::int64_t largest = second_cache_bytes(target());
    for (const target::Cache& cache : target().caches) largest = std::max(largest, cache.bytes);
    return model_.panel() * length * type_.bytes() <= bytes_of_row_panel(target()) && streams <= largest / 2;
  }

  /// The first product writes them, each stage between reads them, and the last product does.
  RowPasses passes() const {
    RowPasses passes;
    for (const Stage& stage : chain_.between) {
      ++passes.reads;
      if (chain_.makes_rows(stage)) ++passes.writes;
    }
    return passes;
  }

  void choose_numbers() {
    const std::int64_t registers = target().vector_registers;
    groups_ = d_.number(name_ + "_groups", {1, 2, 3, 4, 6, 8}, model_.groups);
    rows_ = d_.number(name_ + "_rows", tile_sizes(chain_.rows(), registers), model_.rows);
    columns_ = d_.number(name_ + "_columns", widths(), model_.columns);
    first_columns_ =
        d_.number(first_name_ + "_columns", tile_sizes(chain_.row_length(), registers), model_.first_columns);
    // A longer panel is a program, too, but loops over it are as long as the rows with numbers, and as the
    // panel with variables: it is left out.
    d_.keep_to(value_of(groups_) * value_of(rows_) <= make_int(chain_.rows()), "rows of a panel",
               fmt::format("{}: a panel holds no more than all {} rows", name_, chain_.rows()));
  }

  /// Columns of a tile: whole vectors, and what divides all of them.
  std::vector<std::int64_t> widths() const {
    return tile_sizes(chain_.last.sizes.n,
                      std::min<std::int64_t>(most_vectors_of_columns, target().vector_registers) * lanes(),
                      lanes());
  }

  /// The first product's sums are registers, of which what takes them one by one makes a row; a copy, where
  /// they are taken in another way.
  void keep_first_sums_in_registers() {
    if (const auto reader = elementwise_consumer(s_.program(), chain_.first_sums)) {
      reader_ = *reader;
      s_.apply(SetScope{chain_.first_sums, 0, "register"});
    } else {
      reader_ = s_.blocks(CacheWrite{chain_.first_sums, 0, "register"})[0];
    }
  }

  /// "b0, b1, " for the indices of batches.
  std::string batch_names() const {
    std::string names;
    for (std::size_t i = 0; i < batches(); ++i) names += fmt::format("b{}, ", i);
    return names;
  }

  /// (…, i, j) as panels of rows that lie side by side.
  IndexText in_panels() const {
    return {fmt::format("lambda {0}i, j: ({0}i // (g * r), j, i % (g * r))", batch_names()),
            {{"g", groups_}, {"r", rows_}}};
  }

  /// The right operand of a product in panels of so many columns.
  BlockRef pack_right(const BlockRef& sums, const MatrixProduct& product, const Number& columns) {
    const IndexText panels{fmt::format("lambda {0}{1}: ({0}j // t, k, j % t)", batch_names(),
                                       product.transposed ? "j, k" : "k, j"),
                           {{"t", columns}}};
    return s_.blocks(TransformLayout{sums, product.right->name, panels, 0.0})[0];
  }

  void lay_out() {
    s_.apply(TransformLayout{reader_, made_by(chain_.first_sums),
                             IndexText(fmt::format("lambda {0}i, j: ({0}j, i)", batch_names()), {})});
    std::vector<BlockRef> makers = {reader_};
    for (const Stage& stage : chain_.between)
      if (chain_.makes_rows(stage) && stage.block != reader_) makers.push_back(stage.block);
    // Rows beyond the last one are never read.
    for (const BlockRef& maker : makers) s_.apply(TransformLayout{maker, made_by(maker), in_panels()});
    left_ = s_.blocks(TransformLayout{chain_.first_sums, chain_.first.left->name, in_panels(), 0.0})[0];
    first_right_ = pack_right(chain_.first_sums, chain_.first, first_columns_);
    last_right_ = pack_right(chain_.last_sums, chain_.last, columns_);
  }

  /// Some steps of the sum one after another, where so many divide all of them: the loop over them.
  std::vector<LoopRef> steps_of(const std::string& name, const LoopRef& loop, std::int64_t steps) {
    std::vector<std::int64_t> lengths = divisors_of(steps);
    std::erase_if(lengths, [](std::int64_t length) { return length > most_steps_written_out; });
    if (lengths.size() == 1) return {loop};
    const auto parts = split(
        d_, loop, exact_cut(d_, name + "_steps", steps, lengths, largest_divisor(steps, steps_written_out)));
    s_.apply(Unroll{parts[1]});
    return parts;
  }

  /// Tiles of sums in registers, a panel's rows after each other for each panel of columns.
  void sum_last() {
    const BlockRef copy = s_.blocks(CacheWrite{chain_.last_sums, 0, "register"})[0];
    const std::vector<LoopRef> loops = s_.get_loops(chain_.last_sums);
    axes_.assign(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(batches()));
    const auto i = s_.loops(Split{loops[batches()], {std::nullopt, groups_, rows_}});
    const auto j = s_.loops(Split{loops[batches() + 1], {std::nullopt, columns_}});
    const auto k = steps_of(name_, loops[batches() + 2], chain_.last.sizes.k);
    std::vector<LoopRef> order = {i[0], j[0], i[1]};
    order.insert(order.end(), k.begin(), k.end());
    order.insert(order.end(), {i[2], j[1]});
    s_.apply(Reorder{order});
    s_.apply(ReverseComputeAt{copy, i[1], /*preserve_unit_loops=*/true});
    const BlockRef zeros = s_.blocks(DecomposeReduction{chain_.last_sums, k[0]})[0];
    for (const BlockRef& block : {chain_.last_sums, zeros, copy}) write_out_tile(block);
    axes_.push_back(i[0]);
  }

  /// The last loop as lanes, the one around it written out.
  void write_out_tile(const BlockRef& block) {
    const std::vector<LoopRef> loops = s_.get_loops(block);
    s_.apply(Vectorize{loops.back()});
    s_.apply(Unroll{loops[loops.size() - 2]});
  }

  /// All that lies between, for the rows of a panel, which are lanes.
  void place_stages() {
    for (std::size_t at = chain_.between.size(); at-- > 0;)
      s_.apply(ComputeAt{chain_.between[at].block, axes_.back(), /*preserve_unit_loops=*/true});
    if (!is_between(reader_)) s_.apply(ComputeAt{reader_, axes_.back(), /*preserve_unit_loops=*/true});
    for (const Stage& stage : chain_.between) {
      if (!chain_.makes_rows(stage)) s_.apply(SetScope{stage.block, 0, "register"});
      if (stage.block != reader_) use_lanes(stage);
    }
  }

  bool is_between(const BlockRef& block) const {
    return std::any_of(chain_.between.begin(), chain_.between.end(),
                       [&](const Stage& stage) { return stage.block == block; });
  }

  void use_lanes(const Stage& stage) {
    std::vector<LoopRef> loops = s_.get_loops(stage.block);
    if (stage.extents.size() > chain_.axes) {  // rows inside, what goes along them outside
      std::swap(loops[loops.size() - 1], loops[loops.size() - 2]);
      s_.apply(Reorder{{loops[loops.size() - 2], loops.back()}});
    }
    if (stage.reduces()) {
      const BlockRef first = s_.blocks(DecomposeReduction{stage.block, loops[loops.size() - 2]})[0];
      s_.apply(Vectorize{s_.get_loops(first).back()});
    }
    s_.apply(Vectorize{loops.back()});
  }

  /// Tiles of the first product: some columns of the panel, in registers until what reads them is made.
  void sum_first() {
    std::vector<LoopRef> loops = s_.get_loops(reader_);
    const LoopRef rows = loops[loops.size() - 2];
    const auto j = s_.loops(Split{loops.back(), {std::nullopt, first_columns_}});
    s_.apply(Reorder{{j[0], j[1], rows}});
    s_.apply(ComputeAt{chain_.first_sums, j[0], /*preserve_unit_loops=*/true});
    s_.apply(Unroll{j[1]});
    s_.apply(Vectorize{rows});
    loops = s_.get_loops(chain_.first_sums);
    const std::size_t last = loops.size() - 1;  // rows, columns, steps
    std::vector<LoopRef> order = steps_of(first_name_, loops[last], chain_.first.sizes.k);
    const LoopRef steps = order.front();
    order.insert(order.end(), {loops[last - 1], loops[last - 2]});
    s_.apply(Reorder{order});
    const BlockRef zeros = s_.blocks(DecomposeReduction{chain_.first_sums, steps})[0];
    for (const BlockRef& block : {chain_.first_sums, zeros}) write_out_tile(block);
  }

  /// The left operand's panel where it is used; those of the right ones once, for all rows.
  void place_operands() {
    s_.apply(ComputeAt{left_, axes_.back(), /*preserve_unit_loops=*/true});
    const std::vector<LoopRef> loops = s_.get_loops(left_);
    s_.apply(Reorder{{loops[loops.size() - 1], loops[loops.size() - 2]}});
    place_right(first_right_, chain_.first);
    place_right(last_right_, chain_.last);
  }

  void place_right(const BlockRef& panels, const MatrixProduct& product) {
    if (batches() > 0) s_.apply(ComputeAt{panels, axes_[batches() - 1], /*preserve_unit_loops=*/true});
    const std::vector<LoopRef> loops = s_.get_loops(panels);
    const std::size_t panel = loops.size() - 3;  // panels, steps, columns
    s_.apply(Vectorize{loops[panel + 2]});
    if (!product.transposed) s_.apply(Reorder{{loops[panel + 1], loops[panel]}});
    right_loops_.push_back(product.transposed ? loops[panel] : loops[panel + 1]);
  }

  bool uses_threads() const {
    const ProductSizes &first = chain_.first.sizes, &last = chain_.last.sizes;
    return target().cores >= 2 &&
           last.m * last.k * (first.k + last.n) * all_batches() >= 2 * least_products_of_a_thread;
  }
  std::int64_t all_batches() const {
    std::int64_t count = 1;
    for (std::size_t i = 0; i < batches(); ++i) count *= batch(i);
    return count;
  }
  std::int64_t batch(std::size_t axis) const { return typical(chain_.last.out->shape[axis]); }

  /// Batches where the first axis has one for each core, else panels of rows.
  void use_threads() {
    if (!uses_threads()) return;
    std::size_t shared = batches();
    if (batches() > 0) {
      std::vector<std::string> answers;
      for (std::size_t i = 0; i < batches(); ++i) answers.push_back(fmt::format("axis {}", i));
      answers.emplace_back("rows");
      shared = d_.way(name_ + " shared by threads", answers, batch(0) >= target().cores ? 0 : batches());
    }
    s_.apply(Parallel{axes_[shared]});
    if (shared == batches())
      for (const LoopRef& loop : right_loops_) s_.apply(Parallel{loop});
  }

  void finish() {
    d_.finish(chain_.first_sums);
    d_.finish(chain_.last_sums);
    for (const Stage& stage : chain_.between) d_.finish(stage.block);
  }

  Derivation& d_;
  Schedule& s_;
  const RowChain& chain_;
  DataType type_;
  std::string name_, first_name_;
  RowPanels model_;
  Number groups_, rows_, columns_, first_columns_;
  BlockRef reader_, left_, first_right_, last_right_;
  std::vector<LoopRef> axes_;  ///< the batches, and the panels of rows
  std::vector<LoopRef> right_loops_;
};

/// The chain of floats that ends with the stage. Of fewer rows than lanes no vector goes along them.
std::optional<RowChain> float_chain(const Derivation& d, const BlockRef& stage) {
  const target::Target& target = d.target();
  if (target.kind != target::Kind::cpu || target.vector_bits < 128 || d.wishes().weights_ahead)
    return std::nullopt;
  auto chain = row_chain_to(d.steps().program(), stage);
  if (!chain || d.is_finished(chain->first_sums) || d.is_finished(chain->last_sums)) return std::nullopt;
  const DataType type = chain->last.out->type;
  const auto is_of_type = [&](const MatrixProduct& product) {
    return product.out->type == type && product.left->type == type && product.right->type == type;
  };
  if ((type != float32 && type != float64) || !is_of_type(chain->first) || !is_of_type(chain->last) ||
      chain->rows() < target.vector_bits / type.bits)
    return std::nullopt;
  const bool is_free = std::none_of(chain->between.begin(), chain->between.end(),
                                    [&](const Stage& between) { return d.is_finished(between.block); });
  return is_free ? chain : std::nullopt;
}

}  // namespace

Rule row_panels() {
  return {
      .name = "row panels",
      .doc = "a product, stages of its rows and a product of them: panels of rows that are lanes",
      .applies = [](const Derivation& d, const BlockRef& stage) { return float_chain(d, stage).has_value(); },
      .apply =
          [](Derivation& d, const BlockRef& stage) {
            const RowChain chain = *float_chain(d, stage);
            PanelSteps(d, chain).run();
          }};
}

}  // namespace ardea::rules
