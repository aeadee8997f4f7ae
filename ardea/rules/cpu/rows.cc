#include "ardea/rules/cpu/rows.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/rules/analysis/row_nest.h"
#include "ardea/rules/cpu/lane_sums.h"
#include "ardea/rules/model/candidates.h"
#include "ardea/rules/model/threads.h"
#include "ardea/schedule/primitives/loops/annotate.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/iterate_by_loops.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/place/reverse_compute_at.h"
#include "ardea/schedule/primitives/reduce/rfactor.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

using namespace schedule;

namespace {

class RowSteps {
 public:
  RowSteps(Derivation& d, RowNest nest)
      : d_(d),
        s_(d.steps()),
        nest_(std::move(nest)),
        name_(path_to(s_.program(), nest_.stages.back().block)->block().name),
        type_(first_sum().out->type),
        bytes_(bytes_around(s_.program(), nest_.blocks())) {}

  void run() {
    for (const Stage& stage : nest_.stages) d_.finish(stage.block);
    if (has_one_sum()) join_reduced_axes();
    if (sums_parts()) {
      sum_parts();
      return;
    }
    choose_numbers();
    place();
    use_lanes();
    use_threads();
  }

 private:
  const target::Target& target() const { return d_.target(); }
  bool has_one_sum() const { return nest_.sums() == 1; }
  bool has_parts() const {
    return std::any_of(nest_.stages.begin(), nest_.stages.end(),
                       [&](const Stage& stage) { return nest_.reduces_parts(stage); });
  }
  /// What is made of parts is short, and what goes through one of them a second time, too.
  bool goes_through_rows_again() const { return !has_one_sum() && !has_parts(); }
  bool uses_threads() const { return worth_threads(bytes_, target()); }
  const Stage& anchor() const { return nest_.stages[nest_.anchor]; }
  const Stage& first_sum() const {
    return *std::find_if(nest_.stages.begin(), nest_.stages.end(),
                         [](const Stage& s) { return s.reduces(); });
  }
  static std::size_t reduced_axes(const Stage& stage) { return stage.extents.size() - stage.spatial; }
  std::int64_t last_axis() const { return anchor().extents[nest_.axes - 1]; }

  /// Where there are fewer rows than cores, the parts of a row that are summed apart: as many as divide it.
  std::int64_t parts_of_row() const {
    if (!uses_threads()) return 1;
    std::int64_t parts = std::max<std::int64_t>(1, target().cores / nest_.rows());
    while (nest_.lanes % parts != 0) --parts;
    return parts;
  }

  bool sums_parts() {
    return has_one_sum() && reduced_axes(first_sum()) == 1 && parts_of_row() > 1 &&
           d_.whether(name_ + " summed in parts of a row", true);
  }

  /// for i, r: S[i] op= t   ⇒   for each part of a row, in parallel: P[i, part] op= t;  for i, part: S[i] op=
  /// P
  void sum_parts() {
    const std::int64_t parts = parts_of_row();
    const BlockRef block = first_sum().block;
    const auto part = s_.loops(Split{s_.get_loops(block).back(), {parts, std::nullopt}})[0];
    const BlockRef partial = s_.blocks(RFactor{part, -1})[0];
    std::vector<LoopRef> loops = s_.get_loops(partial);
    loops.pop_back();
    const LoopRef row = s_.loops(Fuse{loops})[0];
    const Rows rows{.extent = nest_.lanes / parts};
    reduce_in_lanes(s_, partial, 1, choose_sum(rows, lane_sum_for(rows, type_.bits, target())));
    s_.apply(Parallel{row});
  }

  /// Stages that go through a row wait for each other's end: of short rows several go side by side. What is
  /// longer than a page has enough to do, and leaves the nearest cache to what comes next.
  std::int64_t rows_of_a_page() const {
    return std::max<std::int64_t>(1, target().core.page_bytes / (nest_.extent * type_.bytes()));
  }

  LaneSum choose_sum(const Rows& rows, const LaneSum& model) {
    return choose_lane_sum(d_, name_, rows, model, type_.bits);
  }

  bool has_choices() const {
    return std::any_of(nest_.stages.begin(), nest_.stages.end(), [&](const Stage& stage) {
      return stage.reduces() && makes_choices(s_.program(), stage);
    });
  }

  /// As many as keep the units busy, of all rows together: the terms that sums choose need registers, too.
  LaneSum fewer_partial_results(const Rows& rows, const LaneSum& model) const {
    const std::int64_t vectors = std::max<std::int64_t>(1, target().core.sums_in_flight() / 2 / model.rows);
    const std::int64_t width = std::min(model.width(), vectors * target().vector_bits / type_.bits);
    return lane_sum_of(width, rows, model.rows, type_.bits, target());
  }

  /// for i, r, q: S[i] op= t(i, r, q)   ⇒   for i, f: S[i] op= t(i, f // q's, f % q's), where rows q follow
  /// each other in memory: what vectors leave over is left over once.
  void join_reduced_axes() {
    Stage& sum =
        *std::find_if(nest_.stages.begin(), nest_.stages.end(), [](const Stage& s) { return s.reduces(); });
    if (reduced_axes(sum) < 2 || nest_.reduces_parts(sum) || !lie_side_by_side(sum)) return;
    const std::vector<LoopRef> loops = s_.get_loops(sum.block);
    s_.apply(Fuse{{loops.begin() + static_cast<std::ptrdiff_t>(sum.spatial), loops.end()}});
    s_.apply(IterateByLoops{sum.block});
    const std::int64_t steps = sum.steps();
    sum.extents.resize(sum.spatial);
    sum.extents.push_back(steps);
    nest_.lanes = steps;
  }

  /// Whether the only thing that the sum reads is read element by element, to the last axis of the buffer.
  static bool lie_side_by_side(const Stage& sum) {
    if (sum.loads.size() != 1 || !are_plain(sum.loads[0].indices, sum.iterators)) return false;
    const Buffer& row = sum.loads[0].buffer;
    if (!row->strides.empty()) return false;
    for (std::size_t i = sum.spatial; i < sum.extents.size(); ++i)
      if (constant_int(row->shape[i]) != sum.extents[i]) return false;
    return true;
  }

  void choose_numbers() {
    Rows rows{.rows = last_axis(), .extent = nest_.lanes};
    if (!has_one_sum()) rows.rows = std::min(rows.rows, rows_of_a_page());
    LaneSum model = lane_sum_for(rows, type_.bits, target());
    if (has_choices()) model = fewer_partial_results(rows, model);
    // LLVM finds lanes across rows that are shorter than a vector.
    if (has_one_sum() && nest_.lanes < target().vector_bits / type_.bits)
      model = {.rows = std::min(last_axis(), rows_of_a_page())};
    sum_ = choose_sum(rows, model);
    at_once_ = d_.number(name_ + "_rows", tile_sizes(last_axis(), target().vector_registers), sum_.rows);
  }

  /// What comes before the anchor is computed where that needs it, what comes after it follows.
  void place() {
    const std::vector<LoopRef> loops = s_.get_loops(anchor().block);
    axes_.assign(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(nest_.axes));
    axes_.back() = s_.loops(Split{axes_.back(), {std::nullopt, at_once_}})[0];
    for (std::size_t i = nest_.anchor; i-- > 0;)
      s_.apply(ComputeAt{nest_.stages[i].block, axes_.back(), /*preserve_unit_loops=*/true});
    for (std::size_t i = nest_.anchor + 1; i < nest_.stages.size(); ++i)
      s_.apply(ReverseComputeAt{nest_.stages[i].block, axes_.back(), /*preserve_unit_loops=*/true});
  }

  void use_lanes() {
    int passes = 0;
    for (const Stage& stage : nest_.stages) {
      std::optional<LoopRef> pass;
      if (nest_.reduces_parts(stage)) {
        pass = reduce_parts(stage);
      } else if (stage.reduces()) {
        pass = reduce_in_lanes(s_, stage.block, nest_.axes, sum_, reduced_axes(stage));
      } else if (sum_.width() > 1 || !has_one_sum()) {
        const std::vector<LoopRef> loops = s_.get_loops(stage.block);
        // Rows of one number are a column.
        const bool has_row = stage.spatial > nest_.axes && stage.extents.back() > 1;
        s_.apply(Vectorize{has_row || stage.spatial == nest_.axes ? loops.back() : loops[loops.size() - 2]});
        if (has_row) pass = loops.back();
      }
      // Only a pass that computes much, such as exponentials, has time for two streams.
      if (pass && ++passes == 2 && goes_through_rows_again()) ask_ahead(*pass, !stage.reduces());
    }
  }

  /// for i, part, r: P[i, part] op= t   ⇒   some parts of a row side by side, each as a row of its own.
  std::optional<LoopRef> reduce_parts(const Stage& stage) {
    const std::string name = path_to(s_.program(), stage.block)->block().name;
    const Rows parts{.rows = stage.extents[nest_.axes], .extent = stage.extents.back()};
    const LaneSum model = lane_sum_of_parts(parts, type_.bits, target());
    const LaneSum sum = choose_lane_sum(d_, name, parts, model, type_.bits);
    const Number at_once =
        d_.number(name + "_parts", tile_sizes(parts.rows, target().vector_registers), sum.rows);
    s_.apply(Split{s_.get_loops(stage.block)[nest_.axes + 1], {std::nullopt, at_once}});
    return reduce_in_lanes(s_, stage.block, nest_.axes + 2, sum, reduced_axes(stage));
  }

  /// Where rows come out of memory, the loop that goes through a row for the second time, which finds it in
  /// the nearest cache, asks for what comes next: the input a row ahead and, `with_output`, the output of
  /// this row, which is written last. Otherwise memory would wait while numbers are computed, and the other
  /// way round.
  void ask_ahead(const LoopRef& second_pass, bool with_output) {
    const target::Cache* second = target().cache(2);
    const std::int64_t element_bytes = nest_.row.buffer->type.bytes();
    if (second == nullptr) return;
    // Records are wrong at times: what would pay on a machine with other caches is a way, too.
    constexpr std::int64_t doubt = 8;
    const std::int64_t four_rows = 4 * nest_.extent * element_bytes;
    if (four_rows > doubt * target().cache(1)->bytes || doubt * bytes_ <= second->bytes) return;
    const bool pays = four_rows <= target().cache(1)->bytes && bytes_ > second->bytes;
    if (!d_.whether(nest_.row.buffer->name + " asked for ahead", pays)) return;
    // A page of rows that are longer: what is asked for earlier is gone again.
    const std::int64_t model = std::max<std::int64_t>(1, target().core.page_bytes / element_bytes);
    const Number ahead =
        d_.number(name_ + "_ahead", {nest_.extent, 2 * nest_.extent, 4 * nest_.extent}, model);
    std::vector<Argument> wishes = {{nest_.row.buffer->name}, Convert<Number>::to(ahead)};
    if (with_output) wishes.insert(wishes.end(), {{nest_.stages.back().out->name}, {std::int64_t{0}}});
    s_.apply(Pragma{second_pass, "prefetch", {wishes}});
  }

  /// The outermost axis with a row for each core, else the longest.
  std::size_t axis_for_threads() const {
    const std::vector<std::int64_t>& extents = anchor().extents;
    for (std::size_t i = 0; i < nest_.axes; ++i)
      if (extents[i] >= target().cores) return i;
    const auto last = extents.begin() + static_cast<std::ptrdiff_t>(nest_.axes);
    return static_cast<std::size_t>(std::max_element(extents.begin(), last) - extents.begin());
  }

  void use_threads() {
    if (!uses_threads()) return;
    std::vector<std::string> answers;
    for (std::size_t i = 0; i < nest_.axes; ++i) answers.push_back(fmt::format("axis {}", i));
    std::size_t axis = 0;
    if (nest_.axes > 1) axis = d_.way(name_ + " shared by threads", answers, axis_for_threads());
    s_.apply(Parallel{axes_[axis]});
  }

  Derivation& d_;
  Schedule& s_;
  RowNest nest_;
  std::string name_;
  DataType type_;
  std::int64_t bytes_;
  LaneSum sum_;
  Number at_once_;
  std::vector<LoopRef> axes_;
};

bool goes_along_rows(const Derivation& d, const BlockRef& stage) {
  const target::Target& target = d.target();
  if (target.kind != target::Kind::cpu || target.vector_bits < 128 || target.cache(1) == nullptr)
    return false;
  const auto nest = row_nest_to(d.steps().program(), stage);
  return nest && std::all_of(nest->stages.begin(), nest->stages.end(), [&](const Stage& s) {
           return !d.is_finished(s.block) && (!s.reduces() || is_summed(s.out->type));
         });
}

}  // namespace

Rule rows() {
  return {.name = "rows",
          .doc = "stages that take each row for itself in one nest, sums in vectors of partial results",
          .applies = goes_along_rows,
          .apply = [](Derivation& d, const BlockRef& stage) {
            const RowNest nest = *row_nest_to(d.steps().program(), stage);
            RowSteps(d, nest).run();
          }};
}

}  // namespace ardea::rules
