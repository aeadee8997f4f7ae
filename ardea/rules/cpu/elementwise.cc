#include "ardea/rules/cpu/elementwise.h"

#include <algorithm>

#include "ardea/rules/analysis/stage.h"
#include "ardea/rules/model/candidates.h"
#include "ardea/rules/model/stores.h"
#include "ardea/rules/model/threads.h"
#include "ardea/schedule/primitives/loops/annotate.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/program/tree.h"
#include "ardea/support/ceil_div.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// Rows of fewer vectors are not worth a loop of their own.
constexpr std::int64_t few_vectors = 4;
/// Vectors that are computed side by side where functions are: each is a long chain of steps, whose many
/// constants serve all.
constexpr std::int64_t vectors_of_functions = 4;

class ElementSteps {
 public:
  ElementSteps(Derivation& d, const Stage& stage)
      : d_(d),
        s_(d.steps()),
        stage_(stage),
        name_(path_to(s_.program(), stage.block)->block().name),
        lanes_(d.target().vector_bits / std::max<int>(8, stage.out->type.bits)),
        bytes_(bytes_around(s_.program(), {stage.block})),
        uses_threads_(worth_threads(bytes_, d.target())) {}

  void run() {
    const std::vector<LoopRef> loops = s_.get_loops(stage_.block);
    goes_past_caches_ = writes_past_caches();
    switch (choose_way()) {
      case By::elements: one_row(loops); break;
      case By::rows: by_rows(loops); break;
      case By::columns: by_columns(loops); break;
    }
    d_.finish(stage_.block);
  }

 private:
  enum class By { elements, rows, columns };

  std::int64_t columns() const { return stage_.extents.back(); }

  /// Rows of whole lines, of more elements than the caches keep for whoever reads them next.
  bool writes_past_caches() {
    const target::Cache* nearest = d_.target().cache(1);
    const std::int64_t row_bytes = columns() * stage_.out->type.bytes();
    if (!has_stores_past_caches(d_.target()) || !is_parameter(s_.program(), stage_.out) ||
        !stage_.is_known(stage_.extents.size() - 1) || nearest == nullptr ||
        row_bytes % nearest->line_bytes != 0 || !outgrows_near_caches(bytes_, d_.target()))
      return false;
    return d_.whether(name_ + " written past the caches", outgrows_all_caches(bytes_, d_.target()));
  }

  void go_past_caches(const LoopRef& loop) {
    if (goes_past_caches_) s_.apply(Pragma{loop, "past_caches", Argument(true)});
  }

  bool has_one_shape() const {
    return are_plain(stage_.indices, stage_.iterators) &&
           std::all_of(stage_.loads.begin(), stage_.loads.end(),
                       [&](const Load& load) { return are_plain(load.indices, stage_.iterators); });
  }

  /// The first axis but the last that has something to do for each core.
  std::optional<std::size_t> axis_for_threads() const {
    for (std::size_t i = 0; i + 1 < stage_.extents.size(); ++i)
      if (stage_.extents[i] >= d_.target().cores) return i;
    return std::nullopt;
  }

  By choose_way() {
    std::vector<By> ways;
    std::vector<std::string> answers;
    const auto add = [&](By way, const std::string& answer) {
      ways.push_back(way);
      answers.push_back(answer);
    };
    const bool is_one_row = stage_.extents.size() == 1;
    if (has_one_shape() && !is_one_row) add(By::elements, "elements of one row");
    if (!uses_threads_ || axis_for_threads()) add(By::rows, "rows");
    if (uses_threads_) add(By::columns, "columns");
    By model = !uses_threads_ || axis_for_threads() ? By::rows : By::columns;
    if (ways.front() == By::elements && columns() < few_vectors * lanes_) model = By::elements;
    if (ways.size() == 1) return ways.front();
    const auto at = std::find(ways.begin(), ways.end(), model) - ways.begin();
    return ways[d_.way(name_ + " by", answers, static_cast<std::size_t>(at))];
  }

  /// All elements as if they were one row.
  void one_row(const std::vector<LoopRef>& loops) {
    const LoopRef row = s_.loops(Fuse{loops})[0];
    s_.apply(Vectorize{row});
    go_past_caches(row);
  }

  /// Some rows at a time, each in vectors.
  void by_rows(const std::vector<LoopRef>& loops) {
    vectorize_row(loops.back());
    if (!uses_threads_) return go_past_caches(loops.front());
    const std::size_t axis = *axis_for_threads();
    const std::vector<std::int64_t> sizes = group_sizes(stage_.extents[axis]);
    const bool cuts = axis == 0 && cuts_rest(axis, sizes, 1);
    const Number rows = d_.number(name_ + "_rows", sizes, 1);
    const auto parts = parts_of(loops[axis], axis, rows, cuts);
    move_out(parts[0], {loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(axis)});
    s_.apply(Parallel{parts[0]});
    go_past_caches(parts[0]);
  }

  /// Some vectors at a time, where functions are computed.
  void vectorize_row(const LoopRef& row) {
    const std::size_t axis = stage_.extents.size() - 1;
    const std::int64_t model = vectors_of_functions * lanes_;
    if (!stage_.is_known(axis) || columns() < 2 * model || !computes_functions(s_.program(), stage_.block)) {
      ask_ahead(row);
      s_.apply(Vectorize{row});
      return;
    }
    const Number at_once = d_.number(name_ + "_at_once", {lanes_, 2 * lanes_, model}, model);
    const std::vector<LoopRef> parts = s_.loops(Split{row, {std::nullopt, at_once}});
    ask_ahead(parts[0]);
    s_.apply(Vectorize{parts[1]});
  }

  /// Where what a core reads and writes comes out of memory that it shares, the loop asks for the lines of
  /// the result a page before it writes them: an x86-64 has few lines of one stream of stores under way by
  /// itself, and stores that miss leave in order. (An ARM writes streams past its caches, and would not any
  /// more.)
  void ask_ahead(const LoopRef& row) {
    const target::Target& target = d_.target();
    const target::Cache* second = target.cache(2);
    // What goes past the caches reads no lines.
    if (goes_past_caches_ || second == nullptr || !stores_in_order(target) ||
        !is_parameter(s_.program(), stage_.out))
      return;
    const std::int64_t bytes = bytes_ / (uses_threads_ ? target.cores : 1);
    // Records are wrong at times: what would pay on a machine with other caches is a way, too.
    constexpr std::int64_t doubt = 8;
    if (doubt * bytes <= second->bytes) return;
    if (!d_.whether(name_ + " asked for ahead", bytes > second->bytes)) return;
    const std::int64_t page = target.core.page_bytes / stage_.out->type.bytes();
    const std::vector<Argument> wishes = {{stage_.out->name}, {page}};
    s_.apply(Pragma{row, "prefetch", {wishes}});
  }

  /// Each core a part of the columns that begins where a vector does, of all rows.
  void by_columns(const std::vector<LoopRef>& loops) {
    const std::int64_t model = ceil_div(ceil_div(columns(), d_.target().cores), lanes_);
    const std::vector<std::int64_t> sizes = group_sizes(ceil_div(columns(), lanes_));
    std::vector<std::int64_t> lengths;
    for (const std::int64_t vectors : sizes) lengths.push_back(vectors * lanes_);
    const std::size_t axis = loops.size() - 1;
    const bool cuts = axis == 0 && cuts_rest(axis, lengths, model * lanes_);
    const Number vectors = d_.number(name_ + "_vectors", sizes, model);
    const auto parts = parts_of(loops.back(), axis, d_.follows(value_of(vectors) * make_int(lanes_)), cuts);
    move_out(parts[0], {loops.begin(), loops.end() - 1});
    s_.apply(Vectorize{parts[1]});
    if (cuts) s_.apply(Vectorize{parts[2]});
    s_.apply(Parallel{parts[0]});
    go_past_caches(parts[0]);
  }

  /// Whether what whole parts of the axis leave over is a loop of its own, where something can be left over.
  bool cuts_rest(std::size_t axis, const std::vector<std::int64_t>& lengths, std::int64_t model) {
    const std::int64_t extent = stage_.extents[axis];
    const bool can_be_left = std::any_of(lengths.begin(), lengths.end(), [&](std::int64_t length) {
      return length < extent && extent % length != 0;
    });
    if (!stage_.is_known(axis) || !can_be_left || model > extent) return false;
    return d_.way(name_ + " left over", {"guarded", "a loop of its own"}, 0) == 1;
  }

  /// The loops over parts of this length and over one of them; then, if it is cut off, over the rest.
  std::vector<LoopRef> parts_of(const LoopRef& loop, std::size_t axis, const Number& length, bool cuts) {
    if (cuts)
      d_.keep_to(value_of(length) <= stage_.lengths[axis], "whole parts",
                 name_ + ": before what is left over there is a whole part");
    return s_.loops(Split{.loop = loop, .factors = {std::nullopt, length}, .tail = cuts ? "cut" : "guard"});
  }

  /// The loop outside of those around it.
  void move_out(const LoopRef& loop, std::vector<LoopRef> around) {
    if (around.empty()) return;
    around.insert(around.begin(), loop);
    s_.apply(Reorder{around});
  }

  Derivation& d_;
  Schedule& s_;
  const Stage& stage_;
  std::string name_;
  std::int64_t lanes_;
  std::int64_t bytes_;
  bool uses_threads_;
  bool goes_past_caches_ = false;
};

bool makes_elements(const Derivation& d, const BlockRef& block) {
  const target::Target& target = d.target();
  if (target.kind != target::Kind::cpu || target.vector_bits < 128) return false;
  const auto stage = plain_stage(d.steps().program(), block, Lengths::any);
  return stage && !stage->reduces();
}

}  // namespace

Rule elementwise() {
  return {.name = "elementwise",
          .doc = "each element for itself, in vectors",
          .applies = makes_elements,
          .apply = [](Derivation& d, const BlockRef& block) {
            const Stage stage = *plain_stage(d.steps().program(), block, Lengths::any);
            ElementSteps(d, stage).run();
          }};
}

}  // namespace ardea::rules
