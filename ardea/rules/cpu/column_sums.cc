#include "ardea/rules/cpu/column_sums.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/rules/analysis/column_sum.h"
#include "ardea/rules/cpu/windows.h"
#include "ardea/rules/model/candidates.h"
#include "ardea/rules/model/lane_sums.h"
#include "ardea/rules/model/threads.h"
#include "ardea/schedule/primitives/loops/annotate.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/cache_write.h"
#include "ardea/schedule/primitives/memory/set_scope.h"
#include "ardea/schedule/primitives/memory/transform_layout.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/place/compute_inline.h"
#include "ardea/schedule/primitives/place/reverse_compute_at.h"
#include "ardea/schedule/primitives/reduce/decompose_reduction.h"
#include "ardea/schedule/primitives/reduce/rfactor.h"
#include "ardea/schedule/program/tree.h"
#include "ardea/support/ceil_div.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// Reductions of no more steps are written out.
constexpr std::int64_t most_written_steps = 32;
/// Results of neighbouring rows use the same operands or the same conditions, as far as they do.
constexpr std::int64_t usual_rows = 2;
/// So many share what a long reduction asks of each of its terms.
constexpr std::int64_t rows_of_a_choice = 4;
/// So many share what is made of the lines of their windows, where columns lie side by side.
constexpr std::int64_t rows_of_lines = 4;
/// Of a row that is written out at once, the terms of all vectors: what is more no longer fits where decoded
/// instructions are kept.
constexpr std::int64_t most_terms_of_row = 192;

/// What is added to many sums at once, and what it is made of.
constexpr std::int64_t registers_of_a_term = 2;

class ColumnSteps {
 public:
  ColumnSteps(Derivation& d, const ColumnSum& found)
      : d_(d),
        s_(d.steps()),
        found_(found),
        sum_(found.sum),
        name_(path_to(s_.program(), sum_.block)->block().name),
        lanes_(d.target().vector_bits / std::max<int>(8, sum_.out->type.bits)) {}

  void run() {
    gather();
    make_tiles();
    sum_in_registers();
    place_sources();
    use_threads();
    d_.finish(sum_.block);
    if (found_.last) d_.finish(found_.last->block);
  }

 private:
  std::size_t right() const { return sum_.spatial - 1; }
  /// LLVM makes no vectors of what is in registers by the program's own will.
  std::string scope() const { return is_apart_ ? "local" : "register"; }
  bool has_rows() const { return sum_.spatial > 1; }
  std::int64_t lines_of_window() const { return sum_.extents[*found_.overlapping]; }
  bool has_few_steps() const { return sum_.steps() <= most_written_steps; }

  /// Columns that a stride takes apart are read where they are, or brought together, row by row.
  void gather() {
    for (const ColumnSource& source : found_.sources) {
      if (source.stride < 2) continue;
      // Where nothing is chosen, and no windows overlap, LLVM makes as good vectors of whole lines, and takes
      // them apart.
      const bool reads_again = source.maker || found_.overlapping;
      const std::size_t model = reads_again && source.stride <= widest_read_apart ? 0 : 2;
      const std::size_t taken =
          d_.way(source.buffer->name + " with columns apart",
                 {"read where they are", "brought together", "left to the compiler"}, model);
      reads_apart_ = reads_apart_ || taken == 0;
      is_apart_ = is_apart_ || taken == 2;
      if (taken != 1) continue;
      std::string names, kept;
      const std::size_t rank = source.buffer->shape.size();
      for (std::size_t i = 0; i < rank; ++i) names += fmt::format("{}x{}", i == 0 ? "" : ", ", i);
      for (std::size_t i = 0; i + 1 < rank; ++i) kept += fmt::format("x{}, ", i);
      const std::string map =
          fmt::format("lambda {0}: ({1}x{2} % {3}, x{2} // {3})", names, kept, rank - 1, source.stride);
      if (source.maker) {
        s_.apply(TransformLayout{sum_.block, source.buffer->name, map});
        gathered_.push_back({*source.maker, source.stride});
      } else {
        gathered_.push_back({s_.blocks(TransformLayout{sum_.block, source.buffer->name, map, 0.0})[0], 1});
      }
    }
  }

  /// Neighbours that use the same lines of windows, as far as the registers hold a result for each line.
  std::int64_t rows_with_lines() const {
    return std::min({sum_.extents[right() - 1], reads_apart_ ? usual_rows : rows_of_lines,
                     d_.target().vector_registers / (lines_of_window() + 1)});
  }

  /// Where less than two thirds of a window are its neighbour's, too, only what takes long to read is.
  bool lines_are_worth_it() const {
    return rows_with_lines() > 1 && (reads_apart_ || 3 * found_.shared_lines >= 2 * lines_of_window());
  }

  /// for i, k, l: S[i] op= t(i + k, l)   ⇒   for i, k, l: P[k, i] op= t(i + k, l);  for i, k: S[i] op= P[k,
  /// i] written out in registers. By lines, P[k, i] and P[k - 1, i + 1] are computed once. By columns that
  /// are read some apart, one row after the other, so are those that come again further on; and what is
  /// computed of whole vectors is taken apart once for all lines (codegen/llvm/late_shuffles.h).
  void sum_parts_first() {
    if (is_apart_) return;
    std::optional<std::size_t> part;
    if (reads_apart_ && found_.across && has_few_steps() &&
        d_.whether(name_ + " by the columns of windows", true)) {
      part = found_.across;
      has_whole_rows_ = true;
    } else if (found_.overlapping && d_.whether(name_ + " by the lines of windows", lines_are_worth_it())) {
      part = found_.overlapping;
    }
    if (!part) return;
    const std::vector<LoopRef> loops = s_.get_loops(sum_.block);
    std::vector<LoopRef> order = {loops[*part]};
    for (std::size_t i = sum_.spatial; i < loops.size(); ++i)
      if (i != *part) order.push_back(loops[i]);
    if (*part != sum_.spatial) s_.apply(Reorder{order});
    parts_ = s_.blocks(RFactor{loops[*part], 0})[0];
    s_.apply(SetScope{*parts_, 0, scope()});
  }

  void make_tiles() {
    sum_parts_first();
    results_ = found_.last ? found_.last->block : s_.blocks(CacheWrite{sum_.block, 0, scope()})[0];
    if (found_.last) s_.apply(SetScope{sum_.block, 0, scope()});
    const std::vector<LoopRef> loops = s_.get_loops(sum_.block);
    outer_.assign(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(sum_.spatial));
    reduced_.assign(loops.begin() + static_cast<std::ptrdiff_t>(sum_.spatial), loops.end());
    if (!is_apart_) split_tiles();
  }

  /// All of a row, or as many equal parts as leave few enough: nothing waits, so that registers are no limit.
  std::int64_t vectors_of_row(std::int64_t vectors) const {
    const std::int64_t most = std::min<std::int64_t>(
        d_.target().vector_registers, std::max<std::int64_t>(1, most_terms_of_row / sum_.steps()));
    return ceil_div(vectors, ceil_div(vectors, most));
  }

  /// Whether results of neighbouring rows read nothing of each other's.
  bool rows_share_nothing() const {
    return has_rows() && !found_.overlapping &&
           std::all_of(sum_.loads.begin(), sum_.loads.end(),
                       [&](const Load& load) {
                         return std::any_of(load.indices.begin(), load.indices.end(), [&](const Expr& index) {
                           return index == sum_.iterators[right() - 1];
                         });
                       }) &&
           !makes_choices(s_.program(), sum_);
  }

  void split_tiles() {
    const std::int64_t columns = sum_.extents[right()], vectors = ceil_div(columns, lanes_);
    const std::int64_t rows = has_rows() ? sum_.extents[right() - 1] : 1;
    const bool chooses = sum_.steps() > most_written_steps && makes_choices(s_.program(), sum_);
    std::int64_t model_rows = std::min(rows, chooses ? rows_of_a_choice : usual_rows);
    // A row alone takes whole lines of what it reads; several take the registers that windows leave.
    std::int64_t parts_of_registers = model_rows == 1 ? 2 : (chooses ? 2 : 8) * model_rows;
    if (parts_ && !has_whole_rows_) {
      model_rows = std::max<std::int64_t>(1, rows_with_lines());
      parts_of_registers = (lines_of_window() + 1) * model_rows;
    }
    std::int64_t most = std::max<std::int64_t>(1, d_.target().vector_registers / parts_of_registers);
    if (has_whole_rows_) {
      model_rows = 1;
      most = vectors_of_row(vectors);
    } else if (!parts_ && !has_few_steps() && rows_share_nothing()) {
      // A row alone, as much of it as there are registers: memory gives longer pieces sooner.
      model_rows = 1;
      most = d_.target().vector_registers - registers_of_a_term;
      if (!other_axis_for_threads()) most = std::min(most, ceil_div(vectors, d_.target().cores));
      most = ceil_div(vectors, ceil_div(vectors, most));
    }
    const Number across =
        d_.number(name_ + "_columns", tile_sizes(columns, d_.target().vector_registers * lanes_, lanes_),
                  std::min(columns, std::min(vectors, most) * lanes_));
    std::vector<LoopRef> inner;
    if (has_rows()) {
      const Number down =
          d_.number(name_ + "_rows", tile_sizes(rows, d_.target().vector_registers), model_rows);
      const auto parts = s_.loops(Split{outer_[right() - 1], {std::nullopt, down}});
      outer_[right() - 1] = parts[0];
      inner.push_back(parts[1]);
    }
    const auto parts = s_.loops(Split{outer_[right()], {std::nullopt, across}});
    outer_[right()] = parts[0];
    inner.push_back(parts[1]);
    std::vector<LoopRef> order = outer_;
    order.insert(order.end(), reduced_.begin(), reduced_.end());
    order.insert(order.end(), inner.begin(), inner.end());
    s_.apply(Reorder{order});
  }

  void sum_in_registers() {
    s_.apply(ReverseComputeAt{results_, outer_.back(), /*preserve_unit_loops=*/true});
    if (parts_) make_parts();
    const BlockRef first = s_.blocks(DecomposeReduction{sum_.block, reduced_.front()})[0];
    for (const BlockRef& block : {sum_.block, first, results_}) {
      if (is_apart_) break;
      const std::vector<LoopRef> loops = s_.get_loops(block);
      if (has_rows()) s_.apply(Unroll{loops[loops.size() - 2]});
      s_.apply(Vectorize{loops.back()});
    }
    if (parts_ || has_few_steps())
      for (const LoopRef& loop : reduced_) s_.apply(Unroll{loop});
  }

  /// What lines or columns of windows make, in registers: all of them, rows and vectors are written out.
  void make_parts() {
    s_.apply(ComputeAt{*parts_, outer_.back(), /*preserve_unit_loops=*/true});
    const std::vector<LoopRef> loops = s_.get_loops(*parts_);
    const auto inner = loops.begin() + static_cast<std::ptrdiff_t>(outer_.size());
    const LoopRef& part = *inner;
    const LoopRef& row = inner[static_cast<std::ptrdiff_t>(right())];
    const LoopRef& column = inner[static_cast<std::ptrdiff_t>(sum_.spatial)];
    const std::vector<LoopRef> along(inner + static_cast<std::ptrdiff_t>(sum_.spatial) + 1, loops.end());
    std::vector<LoopRef> order = {part};
    order.insert(order.end(), along.begin(), along.end());
    order.insert(order.end(), {row, column});
    s_.apply(Reorder{order});
    const BlockRef first = s_.blocks(DecomposeReduction{*parts_, along.front()})[0];
    for (const LoopRef& loop : {part, row}) s_.apply(Unroll{loop});
    s_.apply(Vectorize{column});
    if (has_few_steps())
      for (const LoopRef& loop : along) s_.apply(Unroll{loop});
    const std::vector<LoopRef> its = s_.get_loops(first);
    for (const LoopRef& loop : {its[outer_.size()], its[its.size() - 2]}) s_.apply(Unroll{loop});
    s_.apply(Vectorize{its.back()});
    d_.finish(*parts_);
  }

  /// What is gathered is there for all rows; a border is chosen where it is read, and only there asked for,
  /// or copied with the image.
  void place_sources() {
    const LoopRef whole = outer_[sum_.spatial > 2 ? right() - 2 : 0];
    for (const auto& [copy, stride] : gathered_) {
      s_.apply(ComputeAt{copy, whole, /*preserve_unit_loops=*/true});
      vectorize_gathered(copy, stride);
      d_.finish(copy);
    }
    for (const ColumnSource& source : found_.sources) {
      if (!source.maker || d_.is_finished(*source.maker)) continue;
      d_.finish(*source.maker);
      if (source.stride <= widest_read_apart &&
          d_.whether(source.buffer->name + " chosen where it is read", true)) {
        s_.apply(ComputeInline{*source.maker});
        for (const std::size_t axis : found_.moved)
          s_.apply(Pragma{outer_[axis], "loop_partition_hint", Argument(true)});
      } else {
        s_.apply(ComputeAt{*source.maker, whole, /*preserve_unit_loops=*/true});
        copy_image(*source.maker);
      }
    }
  }

  /// Between the borders LLVM copies rows.
  void copy_image(const BlockRef& maker) {
    const std::vector<LoopRef> loops = s_.get_loops(maker);
    if (path_to(s_.program(), maker)->block().iterators.size() != sum_.spatial) return;  // other axes
    for (const std::size_t axis : found_.moved)
      s_.apply(Pragma{loops[loops.size() - sum_.spatial + axis], "loop_partition_hint", Argument(true)});
  }

  /// What is made in the order of the image is stored as far apart as the stride takes it: one after the
  /// other of the elements that stay together.
  void vectorize_gathered(const BlockRef& copy, std::int64_t stride) {
    const LoopRef columns = s_.get_loops(copy).back();
    if (stride == 1) {
      s_.apply(Vectorize{columns});
      return;
    }
    const auto parts = s_.loops(Split{columns, {std::nullopt, stride}});
    s_.apply(Reorder{{parts[1], parts[0]}});
    s_.apply(Unroll{parts[1]});
    s_.apply(Vectorize{parts[0]});
  }

  /// The outermost with something to do for each core, but for that of the tiles' columns.
  std::optional<std::size_t> other_axis_for_threads() const {
    for (std::size_t i = 0; i < right(); ++i)
      if (sum_.extents[i] >= d_.target().cores) return i;
    return std::nullopt;
  }

  void use_threads() {
    std::vector<BlockRef> blocks = {sum_.block};
    if (parts_) blocks.push_back(*parts_);
    if (found_.last) blocks.push_back(found_.last->block);
    if (!worth_threads(bytes_around(s_.program(), blocks), d_.target())) return;
    // Work for every core is most often outside; where it is nowhere, the tiles are what there is, or, of
    // whole rows, the axis that is longest.
    std::size_t axis = right();
    if (has_whole_rows_ && has_rows())
      axis = static_cast<std::size_t>(
          std::max_element(sum_.extents.begin(),
                           sum_.extents.begin() + static_cast<std::ptrdiff_t>(right())) -
          sum_.extents.begin());
    s_.apply(Parallel{outer_[other_axis_for_threads().value_or(axis)]});
  }

  Derivation& d_;
  Schedule& s_;
  const ColumnSum& found_;
  const Stage& sum_;
  std::string name_;
  std::int64_t lanes_;
  BlockRef results_;
  struct Gathered {
    BlockRef copy;
    std::int64_t stride;  ///< of its loops; 1 where they are in the new order
  };
  std::vector<Gathered> gathered_;
  /// Columns are read some apart; or LLVM is left to make vectors of them.
  bool reads_apart_ = false, is_apart_ = false;
  std::optional<BlockRef> parts_;  ///< makes a result of each line of a window, or of each column
  bool has_whole_rows_ = false;    ///< by columns
  std::vector<LoopRef> outer_, reduced_;
};

bool sums_columns(const Derivation& d, const BlockRef& stage) {
  const target::Target& target = d.target();
  if (target.kind != target::Kind::cpu || target.vector_bits < 128) return false;
  const auto found = column_sum_to(d.steps().program(), stage);
  return found && !d.is_finished(found->sum.block) && is_summed(found->sum.out->type);
}

}  // namespace

Rule column_sums() {
  return {.name = "column sums",
          .doc = "reductions whose results lie side by side: a tile of them in registers, columns in vectors",
          .applies = sums_columns,
          .apply = [](Derivation& d, const BlockRef& stage) {
            const ColumnSum found = *column_sum_to(d.steps().program(), stage);
            ColumnSteps(d, found).run();
          }};
}

}  // namespace ardea::rules
