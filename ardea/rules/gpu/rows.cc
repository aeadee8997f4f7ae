#include "ardea/rules/gpu/rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "ardea/ir/substitute.h"
#include "ardea/rules/analysis/row_nest.h"
#include "ardea/rules/model/block_threads.h"
#include "ardea/rules/model/row_threads.h"
#include "ardea/schedule/primitives/loops/add_unit_loop.h"
#include "ardea/schedule/primitives/loops/bind.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/cache_read.h"
#include "ardea/schedule/primitives/memory/set_scope.h"
#include "ardea/schedule/primitives/memory/transform_layout.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/place/compute_inline.h"
#include "ardea/schedule/primitives/reduce/rfactor.h"
#include "ardea/schedule/program/tree.h"
#include "ardea/support/ceil_div.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// Of a thread's registers, what rows that it keeps may take by the model: the rest is for what is computed.
constexpr std::int64_t kept_registers = 96;
/// Vectors whose loads are written one after the other where a row is read and not kept.
constexpr std::int64_t vectors_ahead = 4;
/// Parts of a row that there are for each core where rows are few: while one waits, another one adds.
constexpr std::int64_t parts_of_core = 2;
/// Of shared memory, what rows leave to the parts that threads combine.
constexpr std::int64_t bytes_for_parts = 16384;

/// Where rows are while several stages need them.
enum class Kept { registers, shared, nowhere };

class RowThreads {
 public:
  RowThreads(Derivation& d, const BlockRef& last)
      : d_(d),
        s_(d.steps()),
        last_(last),
        name_(path_to(s_.program(), last)->block().name),
        nest_(*row_nest_to(s_.program(), last)) {}

  void run() {
    for (const Stage& stage : nest_.stages) d_.finish(stage.block);
    inline_stages([&](const Stage& stage) { return stage.spatial == nest_.axes; });
    if (sums_parts()) {
      sum_parts();
      return;
    }
    choose();
    if (kept_ == Kept::nowhere) inline_stages([](const Stage&) { return true; });
    factor_stages();
    place();
    spread_stages();
  }

 private:
  const target::Target& target() const { return d_.target(); }
  bool is_last(const Stage& stage) const { return stage.block == last_; }
  std::size_t columns_of(const Stage& stage) const { return stage.extents.size() - nest_.axes; }

  /// Stages that make elements and that nobody sees outside, where they are read.
  template <class Which>
  void inline_stages(const Which& is_meant) {
    for (const Stage& stage : nest_.stages)
      if (!stage.reduces() && !is_last(stage) && is_meant(stage)) s_.apply(ComputeInline{stage.block});
    std::vector<Stage> left;
    for (const Stage& stage : nest_.stages)
      if (path_to(s_.program(), stage.block))
        left.push_back(*plain_stage(s_.program(), stage.block, Lengths::any));
    nest_.stages = std::move(left);
  }

  // --- numbers ---

  /// Elements that one access of memory moves of what is read or written along rows, which begin at whole
  /// ones.
  std::int64_t lanes_of_rows() const {
    int bits = 8;
    std::int64_t common = 0;
    for (const Stage& stage : nest_.stages) {
      if (columns_of(stage) == 0) continue;
      if (is_last(stage) && !stage.reduces()) bits = std::max<int>(bits, stage.out->type.bits);
      for (const Load& load : stage.loads)
        if (!is_made_here(load.buffer) && load.indices.size() >= columns_of(stage))
          bits = std::max<int>(bits, load.buffer->type.bits);
      common = std::gcd(common, stage.extents.back());
    }
    std::int64_t lanes = access_lanes(bits, target());
    while (common % lanes != 0) lanes /= 2;
    return lanes;
  }

  std::int64_t length_of(const Stage& stage) const {
    std::int64_t length = 1;
    for (std::size_t i = nest_.axes; i < stage.extents.size(); ++i) length *= stage.extents[i];
    return length;
  }

  ThreadRows rows_of_nest() const {
    ThreadRows rows{.rows = nest_.rows(), .longest = 1, .lanes = lanes_of_rows()};
    for (const Stage& stage : nest_.stages) rows.longest = std::max(rows.longest, length_of(stage));
    const std::vector<Copy> all = copies();
    rows.has_common_operand = std::any_of(all.begin(), all.end(), [&](const Copy& copy) {
      return std::none_of(copy.readers.begin(), copy.readers.end(),
                          [&](const Stage* reader) { return differs_by_row(*reader, copy.buffer); });
    });
    return rows;
  }

  /// Whether the stage reads other elements of the buffer for each row.
  bool differs_by_row(const Stage& stage, const Buffer& buffer) const {
    return std::any_of(stage.loads.begin(), stage.loads.end(), [&](const Load& load) {
      return load.buffer == buffer &&
             std::any_of(load.indices.begin(), load.indices.end(), [&](const Expr& index) {
               return std::any_of(stage.iterators.begin(),
                                  stage.iterators.begin() + static_cast<std::ptrdiff_t>(nest_.axes),
                                  [&](const Var& row) { return uses(index, row); });
             });
    });
  }

  void choose() {
    const ThreadRows rows = rows_of_nest();
    lanes_ = rows.lanes;
    choose_threads(rows);
    kept_ = choose_kept(rows);
    rows_of_block_ = choose_rows_of_block(rows);
  }

  /// Rows that lie in shared memory are long: a block has one.
  Number choose_rows_of_block(const ThreadRows& rows) {
    if (kept_ == Kept::shared) return std::int64_t{1};
    const std::int64_t model = model_rows_of_block(rows, threads_, target());
    const std::int64_t most = std::max(model, 2 * usual_block_threads(target()) / threads_);
    return d_.number(name_ + "_rows", powers_of_two(std::min(most, rows.rows)), model);
  }

  /// How a thread's part of a row lies in its registers depends on their number: each is a way of its own.
  void choose_threads(const ThreadRows& rows) {
    const std::vector<std::int64_t> counts = row_thread_counts(rows, target());
    std::vector<std::string> answers;
    for (const std::int64_t count : counts) answers.push_back(fmt::format("{}", count));
    const auto model = std::find(counts.begin(), counts.end(), model_row_threads(rows, target()));
    threads_ = counts.size() == 1 ? counts[0]
                                  : counts[d_.way(name_ + " threads of a row", answers,
                                                  static_cast<std::size_t>(model - counts.begin()))];
  }

  /// Bytes of a row of all that is kept: what several stages read, and what is made of it for others.
  std::int64_t bytes_kept() const {
    std::int64_t bytes = 0;
    for (const Copy& copy : copies()) bytes += length_of(*copy.readers.front()) * copy.buffer->type.bytes();
    for (const Stage& stage : nest_.stages)
      if (!stage.reduces() && !is_last(stage)) bytes += length_of(stage) * stage.out->type.bytes();
    return bytes;
  }

  bool reads_again() const {
    const std::vector<Copy> all = copies();
    return std::any_of(all.begin(), all.end(), [](const Copy& copy) { return copy.readers.size() > 1; }) ||
           std::any_of(nest_.stages.begin(), nest_.stages.end(),
                       [&](const Stage& stage) { return !stage.reduces() && !is_last(stage); });
  }

  Kept choose_kept(const ThreadRows& rows) {
    if (!reads_again()) return Kept::nowhere;
    constexpr std::int64_t register_bytes = 4;
    const std::int64_t vectors = vectors_of_thread(rows, threads_);
    const std::int64_t registers =
        ceil_div(bytes_kept() * vectors * threads_ * rows.lanes, rows.longest * threads_ * register_bytes);
    const std::int64_t of_thread =
        std::min<std::int64_t>(target().gpu->registers_per_thread,
                               target().gpu->registers_per_block / std::max<std::int64_t>(1, threads_));
    std::vector<Kept> ways;
    std::vector<std::string> answers;
    if (registers <= std::min(of_thread / 2, kept_registers)) {
      ways.push_back(Kept::registers);
      answers.emplace_back("registers");
    }
    if (bytes_kept() + bytes_for_parts <= target().gpu->shared_bytes_per_block) {
      ways.push_back(Kept::shared);
      answers.emplace_back("shared memory");
    }
    ways.push_back(Kept::nowhere);
    answers.emplace_back("memory alone");
    return ways.size() == 1 ? ways[0] : ways[d_.way(name_ + " rows kept in", answers, 0)];
  }

  // --- what is read along rows ---

  struct Copy {
    Buffer buffer;
    std::vector<const Stage*> readers;  ///< in the program's order
  };

  /// Whether all that the stage reads of the buffer goes along its columns, and nothing else does.
  bool goes_along(const Stage& stage, const Buffer& buffer) const {
    const std::size_t columns = columns_of(stage);
    return std::all_of(stage.loads.begin(), stage.loads.end(), [&](const Load& load) {
      if (load.buffer != buffer) return true;
      if (load.indices.size() < columns) return false;
      const auto first = load.indices.end() - static_cast<std::ptrdiff_t>(columns);
      const std::vector<Var> moving(stage.iterators.begin() + static_cast<std::ptrdiff_t>(nest_.axes),
                                    stage.iterators.end());
      return are_plain({first, load.indices.end()}, moving) &&
             std::none_of(load.indices.begin(), first, [&](const Expr& index) {
               return std::any_of(moving.begin(), moving.end(), [&](const Var& v) { return uses(index, v); });
             });
    });
  }

  static bool reads_buffer(const Stage& stage, const Buffer& buffer) {
    return std::any_of(stage.loads.begin(), stage.loads.end(),
                       [&](const Load& load) { return load.buffer == buffer; });
  }

  bool is_made_here(const Buffer& buffer) const {
    return std::any_of(nest_.stages.begin(), nest_.stages.end(),
                       [&](const Stage& stage) { return stage.out == buffer; });
  }

  /// What reductions read along their rows: it is loaded in vectors before they take its elements one by one.
  std::vector<Copy> copies() const {
    std::vector<Copy> all;
    for (const Stage& stage : nest_.stages)
      for (const Load& load : stage.loads) {
        const bool is_known =
            std::any_of(all.begin(), all.end(), [&](const Copy& copy) { return copy.buffer == load.buffer; });
        if (!stage.reduces() || is_known || is_made_here(load.buffer) || !goes_along(stage, load.buffer))
          continue;
        Copy copy{load.buffer, {}};
        for (const Stage& reader : nest_.stages)
          if (reads_buffer(reader, load.buffer) && goes_along(reader, load.buffer) &&
              columns_of(reader) == columns_of(stage) && length_of(reader) == length_of(stage))
            copy.readers.push_back(&reader);
        all.push_back(std::move(copy));
      }
    return all;
  }

  std::int64_t place_among_reads(const BlockRef& block, const Buffer& buffer) const {
    const auto& reads = *path_to(s_.program(), block)->block().reads;
    const auto at = std::find_if(reads.begin(), reads.end(),
                                 [&](const BufferRegion& region) { return region.buffer == buffer; });
    return at - reads.begin();
  }

  // --- parts of rows ---

  /// Fewer rows than cores: each is summed in so many parts that all have something to do, of whole vectors.
  std::int64_t parts_of_row() const {
    const ThreadRows rows = rows_of_nest();
    const std::int64_t wanted = ceil_div(parts_of_core * target().cores, nest_.rows());
    const std::int64_t least = vectors_ahead * usual_block_threads(target()) * rows.lanes;
    std::int64_t parts = std::max<std::int64_t>(1, std::min(wanted, rows.longest / least));
    while (rows.longest % (parts * rows.lanes) != 0) --parts;
    return parts;
  }

  bool sums_parts() {
    return nest_.stages.size() == 1 && columns_of(nest_.stages[0]) == 1 && nest_.rows() < target().cores &&
           parts_of_row() > 1 && d_.whether(name_ + " summed in parts of a row", true);
  }

  /// for i, r: S[i] op= t   ⇒   for each part of a row: P[i, part] op= t, by blocks of their own;  for i,
  /// part: S[i] op= P
  void sum_parts() {
    const std::int64_t parts = parts_of_row();
    lanes_ = lanes_of_rows();
    const auto part = s_.loops(Split{s_.get_loops(last_).back(), {parts, std::nullopt}})[0];
    const BlockRef partial = s_.blocks(RFactor{part, -1})[0];
    threads_ = usual_block_threads(target());
    rows_of_block_ = std::int64_t{1};
    sum_rows(partial, nest_.stages[0].loads);
    lanes_ = 1;
    threads_ = threads_for(parts, target());
    sum_rows(last_, {});
    d_.finish(partial);
  }

  /// A reduction along one loop, alone in its launch.
  void sum_rows(const BlockRef& block, const std::vector<Load>& loads) {
    std::vector<Buffer> streamed;
    for (const Load& load : loads)
      if (goes_along(nest_.stages[0], load.buffer)) streamed.push_back(load.buffer);
    if (streams(streamed)) factor(block, 1, streamed);
    std::vector<LoopRef> rows = s_.get_loops(block);
    rows.pop_back();
    bind_rows(rows);
    place_parts(block);
    spread_reduction(block, 1);
  }

  // --- steps ---

  void bind_rows(const std::vector<LoopRef>& loops) {
    const LoopRef all = s_.loops(Fuse{loops})[0];
    const auto parts = s_.loops(Split{all, {std::nullopt, rows_of_block_}});
    s_.apply(Bind{parts[0], "blockIdx.x"});
    s_.apply(Bind{parts[1], "threadIdx.y"});
    row_ = parts[1];
  }

  /// All stages under the loop over the rows of a block.
  void place() {
    std::vector<LoopRef> loops = s_.get_loops(last_);
    loops.resize(nest_.axes);
    bind_rows(loops);
    place_parts(last_);
    for (std::size_t i = nest_.stages.size() - 1; i-- > 0;) {
      const Stage& stage = nest_.stages[i];
      s_.apply(ComputeAt{stage.block, row_, /*preserve_unit_loops=*/true});
      s_.apply(SetScope{stage.block, 0, stage.reduces() ? "shared" : scope_of_rows()});
      place_parts(stage.block);
    }
  }

  void place_parts(const BlockRef& block) {
    if (factored_.contains(block.id))
      s_.apply(ComputeAt{factored_.at(block.id).parts, row_, /*preserve_unit_loops=*/true});
  }

  std::string scope_of_rows() const { return kept_ == Kept::registers ? "local" : "shared"; }

  void spread_stages() {
    const std::vector<Copy> all = copies();
    for (std::size_t i = nest_.stages.size(); i-- > 0;) {
      const Stage& stage = nest_.stages[i];
      if (stage.reduces())
        spread_reduction(stage.block, columns_of(stage));
      else
        spread_elements(stage.block, columns_of(stage));
      if (!stage.reduces() && !is_last(stage) && kept_ == Kept::registers)
        keep_in_registers(stage.block, stage.out->name, stage.out->shape, columns_of(stage));
    }
    if (kept_ == Kept::nowhere) return;
    for (const Copy& copy : all) keep(copy);
  }

  // --- reductions of rows that are not kept ---

  struct Factored {
    BlockRef parts;                ///< makes a part for each thread
    std::vector<Buffer> streamed;  ///< what it loads in vectors, each right before it is used
  };

  /// Vectors are loaded for themselves, which a reduction over threads has no place for.
  bool streams(const std::vector<Buffer>& streamed) const { return lanes_ > 1 && !streamed.empty(); }

  void factor_stages() {
    if (kept_ != Kept::nowhere) return;
    for (const Stage& stage : nest_.stages) {
      if (!stage.reduces()) continue;
      std::vector<Buffer> streamed;
      for (const Copy& copy : copies())
        if (std::find(copy.readers.begin(), copy.readers.end(), &stage) != copy.readers.end())
          streamed.push_back(copy.buffer);
      if (streams(streamed)) factor(stage.block, columns_of(stage), streamed);
    }
  }

  /// for i, r: S[i] op= t   ⇒   for i, r_0, thread, lane: P[thread, i] op= t;  for i, thread: S[i] op= P
  void factor(const BlockRef& block, std::size_t columns, const std::vector<Buffer>& streamed) {
    const BlockRef made = s_.blocks(RFactor{cut_columns(block, columns)[1], 0})[0];
    s_.apply(SetScope{made, 0, "local"});
    d_.finish(made);
    factored_[block.id] = {made, streamed};
  }

  /// The loops around the parts of threads that are theirs: over threads, rounds and lanes.
  std::vector<LoopRef> loops_of_parts(const BlockRef& parts) {
    const Block& block = path_to(s_.program(), parts)->block();
    const std::vector<LoopRef> all = s_.get_loops(parts);
    const Var thread(block.body.as<Store>()->indices[0]);
    std::vector<LoopRef> mine, reduced;
    for (std::size_t i = 0; i < block.iterators.size(); ++i) {
      const LoopRef& loop = all[all.size() - block.iterators.size() + i];
      if (block.iterators[i].var == thread) mine.push_back(loop);
      if (block.iterators[i].kind == IteratorKind::reduce) reduced.push_back(loop);
    }
    mine.insert(mine.end(), reduced.begin(), reduced.end());
    return mine;
  }

  void spread_parts(const Factored& factored) {
    const std::vector<LoopRef> loops = loops_of_parts(factored.parts);
    const auto rounds = s_.loops(Split{loops[1], {std::nullopt, vectors_ahead}});
    s_.apply(Reorder{{loops[0], rounds[0], rounds[1], loops[2]}});
    s_.apply(Bind{loops[0], "threadIdx.x"});
    for (const Buffer& buffer : factored.streamed) {
      const BlockRef copy = s_.blocks(
          CacheRead{factored.parts, place_among_reads(factored.parts, buffer), "local", {factored.parts}})[0];
      s_.apply(ComputeAt{copy, rounds[1], /*preserve_unit_loops=*/true});
      s_.apply(Vectorize{s_.get_loops(copy).back()});
      d_.finish(copy);
    }
    s_.apply(Unroll{rounds[1]});
    s_.apply(Unroll{loops[2]});
  }

  /// A row that several stages read, once for all of them.
  void keep(const Copy& copy) {
    const Stage& first = *copy.readers.front();
    std::vector<BlockRef> readers;
    for (const Stage* reader : copy.readers) readers.push_back(reader->block);
    const BlockRef block = s_.blocks(
        CacheRead{first.block, place_among_reads(first.block, copy.buffer), scope_of_rows(), readers})[0];
    s_.apply(ComputeAt{block, row_, /*preserve_unit_loops=*/true});
    spread_elements(block, columns_of(first));
    const Buffer made = (*path_to(s_.program(), block)->block().writes)[0].buffer;
    if (kept_ == Kept::registers) keep_in_registers(block, made->name, made->shape, columns_of(first));
    d_.finish(block);
  }

  /// What a thread has of a row lies side by side: without gaps that would be registers, too.
  void keep_in_registers(const BlockRef& block, const std::string& buffer, const std::vector<Expr>& shape,
                         std::size_t columns) {
    std::string names, rows, column;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      names += fmt::format("{}x{}", i == 0 ? "" : ", ", i);
      if (i + columns < shape.size())
        rows += fmt::format("x{}, ", i);
      else if (column.empty())
        column = fmt::format("x{}", i);
      else
        column = fmt::format("({}) * {} + x{}", column, *constant_int(shape[i]), i);
    }
    s_.apply(TransformLayout{block, buffer,
                             fmt::format("lambda {0}: ({1}({2}) // {3} % {4}, ({2}) // {5}, ({2}) % {3})",
                                         names, rows, column, lanes_, threads_, lanes_ * threads_)});
  }

  /// The loop over all columns of the block, which are its innermost loops.
  LoopRef all_columns(const BlockRef& block, std::size_t columns) {
    std::vector<LoopRef> loops = s_.get_loops(block);
    loops.erase(loops.begin(), loops.end() - static_cast<std::ptrdiff_t>(columns));
    return s_.loops(Fuse{loops})[0];
  }

  /// Rounds, threads, lanes. Vectors are cut off first: where threads have none left, none of its lanes is
  /// asked for itself.
  std::vector<LoopRef> cut_columns(const BlockRef& block, std::size_t columns) {
    const auto vectors = s_.loops(Split{all_columns(block, columns), {std::nullopt, lanes_}});
    const auto rounds = s_.loops(Split{vectors[0], {std::nullopt, threads_}});
    return {rounds[0], rounds[1], vectors[1]};
  }

  /// The loops over rounds and lanes, inside of the one over threads.
  std::vector<LoopRef> bind_columns(const BlockRef& block, std::size_t columns) {
    const auto parts = cut_columns(block, columns);
    s_.apply(Reorder{{parts[1], parts[0], parts[2]}});
    s_.apply(Bind{parts[1], "threadIdx.x"});
    return {parts[0], parts[2]};
  }

  void spread_elements(const BlockRef& block, std::size_t columns) {
    if (columns == 0) {
      s_.apply(Bind{s_.loops(AddUnitLoop{block})[0], "threadIdx.x"});
      return;
    }
    const std::vector<LoopRef> loops = bind_columns(block, columns);
    s_.apply(Vectorize{loops[1]});
    if (kept_ == Kept::registers) s_.apply(Unroll{loops[0]});
  }

  /// Each thread reduces its elements, or has done so already, and all combine what they have.
  void spread_reduction(const BlockRef& block, std::size_t columns) {
    if (factored_.contains(block.id)) {
      s_.apply(Bind{s_.get_loops(block).back(), "threadIdx.x"});
      spread_parts(factored_.at(block.id));
      return;
    }
    const std::vector<LoopRef> loops = bind_columns(block, columns);
    if (kept_ == Kept::registers) s_.apply(Unroll{loops[0]});
    s_.apply(Unroll{loops[1]});
  }

  Derivation& d_;
  Schedule& s_;
  BlockRef last_;
  std::string name_;
  RowNest nest_;
  std::int64_t lanes_ = 1, threads_ = 1;
  Number rows_of_block_;
  Kept kept_ = Kept::nowhere;
  LoopRef row_;
  std::map<BlockId, Factored> factored_;
};

/// Nests of which only the last stage is seen outside, none of whose stages cuts rows into parts.
bool takes_rows(const Derivation& d, const BlockRef& last) {
  if (!d.target().gpu) return false;
  const auto nest = row_nest_to(d.steps().program(), last);
  return nest && nest->anchor + 1 == nest->stages.size() &&
         std::none_of(nest->stages.begin(), nest->stages.end(), [&](const Stage& stage) {
           return d.is_finished(stage.block) || nest->reduces_parts(stage);
         });
}

}  // namespace

Rule rows_by_threads() {
  return {.name = "rows by threads",
          .doc = "each row for itself, by threads that combine what they reduce",
          .applies = takes_rows,
          .apply = [](Derivation& d, const BlockRef& last) { RowThreads(d, last).run(); }};
}

}  // namespace ardea::rules
