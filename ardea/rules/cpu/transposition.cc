#include "ardea/rules/cpu/transposition.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "ardea/rules/analysis/crossing_axis.h"
#include "ardea/rules/analysis/stage.h"
#include "ardea/rules/model/candidates.h"
#include "ardea/rules/model/stores.h"
#include "ardea/rules/model/threads.h"
#include "ardea/schedule/primitives/loops/annotate.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/program/tree.h"
#include "ardea/support/ceil_div.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// Of a line, for targets that do not say.
constexpr std::int64_t usual_line_bytes = 64;
/// Longer rows of a tile leave the nearest cache before their lines are done with.
constexpr std::int64_t longest_row = 128;
/// More rows at once are more code, not more speed.
constexpr std::int64_t most_rows = 32;
/// Rows of the result that are written side by side: fewer leave lines that are read to be read again, more
/// lie in more pages than are known at once (a Neoverse-V1: 2,048 × 2,048 float32 in 1.2 ms by 64 rows, 1.5
/// by 32, 1.7 by 128, 2.0 by all). Where all pages are known, all rows are best (1,024 × 1,024: 166 µs, not
/// 184).
constexpr std::int64_t rows_of_block = 64;
/// Rows of a tile that are left over matter where there are fewer tiles.
constexpr std::int64_t few_tiles = 8;
/// That processors keep addresses of: 1,536 on some, 2,048 and more on others.
constexpr std::int64_t known_pages = 2048;
/// Lines are asked for from this part of the near caches on: what is less lies there after few calls.
constexpr std::int64_t parts_of_near_caches = 4;
/// So many sequences that alternate in memory are taken apart, or put together, by instructions that machines
/// have for it, or by a few shuffles: compilers know how. Of four, transposed tiles are as good.
constexpr std::int64_t most_sequences = 3;
/// So many that are read are taken apart when the program is lowered (join_strided_loads).
constexpr std::int64_t joined_sequences = 2;

class TransposeSteps {
 public:
  TransposeSteps(Derivation& d, const Stage& stage, std::size_t axis)
      : d_(d),
        s_(d.steps()),
        stage_(stage),
        axis_(axis),
        name_(path_to(s_.program(), stage.block)->block().name),
        bytes_(bytes_around(s_.program(), {stage.block})) {}

  void run() {
    if (alternates() && d_.whether(name_ + " left to the compiler", true))
      leave_to_compiler();
    else
      make_tiles();
    d_.finish(stage_.block);
  }

 private:
  bool uses_threads() const { return worth_threads(bytes_, d_.target()); }

  bool writes_few() const { return stage_.extents.back() > 1 && stage_.extents.back() <= most_sequences; }
  bool reads_few() const {
    return stage_.extents[axis_] > joined_sequences && stage_.extents[axis_] <= most_sequences;
  }
  /// Rows that are read or written are too short for a vector.
  bool alternates() const {
    return (writes_few() || reads_few()) && std::min(stage_.extents.back(), stage_.extents[axis_]) < lanes();
  }

  /// for i: for c: Y[i, c] = X[c, i], or for c: for i: Y[c, i] = X[i, c]   ⇒   for each block of i: for i:
  /// all c, written out. LLVM makes vectors of i.
  void leave_to_compiler() {
    const std::vector<LoopRef> loops = s_.get_loops(stage_.block);
    const LoopRef few = writes_few() ? loops.back() : loops[axis_];
    const LoopRef many = writes_few() ? loops[axis_] : loops.back();
    const std::int64_t extent = writes_few() ? stage_.extents[axis_] : stage_.extents.back();
    const std::int64_t page =
        d_.target().core.page_bytes / std::max<std::int64_t>(1, stage_.out->type.bytes());
    const Number in_block =
        d_.number(name_ + "_block", tile_sizes(extent, page, page), std::min(extent, page));
    const auto blocks = s_.loops(Split{many, {std::nullopt, in_block}});
    std::vector<LoopRef> order;
    for (std::size_t i = 0; i + 1 < loops.size(); ++i)
      if (i != axis_) order.push_back(loops[i]);
    order.insert(order.end(), {blocks[0], blocks[1], few});
    s_.apply(Reorder{order});
    s_.apply(Unroll{few});
    if (uses_threads()) s_.apply(Parallel{order.front()});
  }

  void make_tiles() {
    goes_past_caches_ = writes_past_caches();
    const std::vector<LoopRef> loops = s_.get_loops(stage_.block);
    const auto rows = blocks_of_rows(loops[axis_], stage_.extents[axis_]);
    const auto columns = tiles_of_columns(loops.back(), stage_.extents.back());
    std::vector<LoopRef> order;
    for (std::size_t i = 0; i + 1 < loops.size(); ++i)
      if (i != axis_) order.push_back(loops[i]);
    const bool by_columns = order.empty() && shares_columns();
    order.insert(order.end(), {by_columns ? columns[0] : rows[0], by_columns ? rows[0] : columns[0]});
    order.insert(order.end(), {rows[1], rows[2], columns[1]});
    s_.apply(Reorder{order});
    s_.apply(Vectorize{columns[1]});
    s_.apply(Unroll{rows[2]});
    if (uses_threads()) s_.apply(Parallel{order.front()});
    if (!goes_past_caches_) return ask_ahead(rows[1]);
    // Of two inside each other the outer one counts; a loop of one iteration is none.
    for (std::size_t i = 0; i < 2; ++i) s_.apply(Pragma{order[i], "past_caches", Argument(true)});
  }

  /// Lines that are written whole, each in a page of its own, go past the caches where these would not keep
  /// them: brought in first, one after the other, they take several times as long.
  bool writes_past_caches() {
    const std::int64_t rows = rows_at_once(stage_.extents[axis_]);
    return has_stores_past_caches(d_.target()) && has_whole_lines(rows) && !fits_nearest_cache() &&
           d_.whether(fmt::format("{} written past the caches", stage_.out->name),
                      outgrows_near_caches(bytes_, d_.target()));
  }

  bool fits_nearest_cache() const {
    const target::Cache* nearest = d_.target().cache(1);
    return nearest == nullptr || bytes_ <= nearest->bytes;
  }

  bool has_whole_lines(std::int64_t rows) const {
    return stage_.extents.back() % in_line() == 0 && in_registers(rows) >= in_line();
  }

  /// The lines that tiles further down will write are asked for: where stores wait for each other, since no
  /// machine foresees lines that are rows apart.
  void ask_ahead(const LoopRef& groups) {
    if (stage_.out->shape.size() != 2 || fits_nearest_cache() || !stores_in_order(d_.target()) ||
        !d_.whether(fmt::format("{} asked for ahead", stage_.out->name),
                    outgrows_near_caches(parts_of_near_caches * bytes_, d_.target())))
      return;
    const std::int64_t tile = rows_at_once(stage_.extents[axis_]) * stage_.extents.back();
    const Number ahead = d_.number(name_ + "_ahead", {tile, 2 * tile, 4 * tile}, 2 * tile);
    const std::vector<Argument> wishes = {{stage_.out->name}, Convert<Number>::to(ahead)};
    s_.apply(Pragma{groups, "prefetch", {wishes}});
  }

  /// Whether threads take columns of the result, each all of its rows: where there are few of these.
  bool shares_columns() {
    if (!uses_threads()) return false;
    const std::int64_t rows = ceil_div(stage_.extents[axis_], rows_at_once(stage_.extents[axis_]));
    const std::int64_t columns = ceil_div(stage_.extents.back(), columns_at_once());
    const bool has_few_rows = rows < d_.target().cores && columns > rows;
    return d_.way(name_ + " shared by threads", {"rows", "columns"}, has_few_rows ? 1 : 0) == 1;
  }

  /// Of a vector; no more than there are registers for as many vectors, and what they are made of.
  std::int64_t lanes() const {
    const DataType type = stage_.out->type;
    const int bits = std::max<int>(type.bits, 8);
    return std::min<std::int64_t>(d_.target().vector_bits / bits, vectors_at_once());
  }
  std::int64_t vectors_at_once() const {
    return static_cast<std::int64_t>(std::bit_floor(static_cast<unsigned>(d_.target().vector_registers / 2)));
  }

  std::int64_t in_line() const {
    const target::Cache* first = d_.target().cache(1);
    const std::int64_t line = first != nullptr ? first->line_bytes : usual_line_bytes;
    return line / std::max<std::int64_t>(1, stage_.out->type.bytes());
  }

  /// Of a row, where so many rows are in registers at once.
  std::int64_t in_registers(std::int64_t rows) const {
    return std::max<std::int64_t>(1, vectors_at_once() / rows) * lanes();
  }

  /// As many as a vector has lanes, so that what is loaded along the rows that are read is transposed in
  /// registers. Where that leaves over much of a few rows, some more, so that nothing is left over but as
  /// many.
  std::int64_t rows_at_once(std::int64_t extent) const {
    if (extent < few_tiles * lanes())
      for (std::int64_t rows = lanes(); rows < 2 * lanes(); ++rows)
        if (extent >= rows && (extent % rows == 0 || extent % rows >= lanes())) return rows;
    return std::min(extent, lanes());
  }

  /// Blocks, groups of rows that are written at once, and these.
  std::vector<LoopRef> blocks_of_rows(const LoopRef& loop, std::int64_t extent) {
    const std::int64_t model = rows_at_once(extent);
    const std::vector<std::int64_t> sizes = tile_sizes(extent, most_rows, model);
    const std::int64_t all = ceil_div(ceil_div(extent, model), uses_threads() ? d_.target().cores : 1);
    const bool knows_pages = bytes_ <= known_pages * d_.target().core.page_bytes;
    const bool takes_all = goes_past_caches_ || (knows_pages && has_whole_lines(model));
    const std::int64_t groups = takes_all ? all : std::min(all, ceil_div(rows_of_block, model));
    const Number at_once = d_.number(name_ + "_rows", sizes, model);
    const Number in_block = d_.number(name_ + "_block", group_sizes(extent, sizes, model), groups);
    return s_.loops(Split{loop, {std::nullopt, in_block, at_once}});
  }

  /// Whole lines of the rows that are written, where registers hold so much of all that are at once: a line
  /// that is written in parts, with others in between, is read before.
  std::int64_t columns_at_once() const {
    const std::int64_t rows = rows_at_once(stage_.extents[axis_]);
    return std::min({stage_.extents.back(), std::max(in_line(), lanes()), in_registers(rows)});
  }

  std::vector<LoopRef> tiles_of_columns(const LoopRef& loop, std::int64_t extent) {
    const std::int64_t model = columns_at_once();
    const Number tile = d_.number(name_ + "_columns", tile_sizes(extent, longest_row, model), model);
    return s_.loops(Split{loop, {std::nullopt, tile}});
  }

  Derivation& d_;
  Schedule& s_;
  const Stage& stage_;
  std::size_t axis_;
  std::string name_;
  std::int64_t bytes_;
  bool goes_past_caches_ = false;
};

std::optional<Stage> crossing_stage(const Derivation& d, const BlockRef& block) {
  const target::Target& target = d.target();
  if (target.kind != target::Kind::cpu || target.vector_bits < 128) return std::nullopt;
  auto stage = plain_stage(d.steps().program(), block);
  const bool makes_rows = stage && !stage->reduces() && are_plain(stage->indices, stage->iterators);
  return makes_rows && crossing_axis(*stage) ? stage : std::nullopt;
}

}  // namespace

Rule transposition() {
  return {.name = "transposition",
          .doc = "read along one axis and written along another: in tiles of both",
          .applies = [](const Derivation& d,
                        const BlockRef& block) { return crossing_stage(d, block).has_value(); },
          .apply =
              [](Derivation& d, const BlockRef& block) {
                const Stage stage = *crossing_stage(d, block);
                TransposeSteps(d, stage, crossing_axis(stage)->axis).run();
              }};
}

}  // namespace ardea::rules
