#include "ardea/schedule/primitives/memory/rolling_buffer.h"

#include <algorithm>
#include <unordered_set>

#include "ardea/arith/coverage.h"
#include "ardea/arith/dependence.h"
#include "ardea/arith/regions.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/analysis/concurrency.h"
#include "ardea/schedule/analysis/moved_block.h"
#include "ardea/schedule/primitives/memory/added_blocks.h"
#include "ardea/schedule/primitives/memory/buffer_layout.h"
#include "ardea/schedule/primitives/memory/copy_block.h"
#include "ardea/schedule/primitives/memory/rolling_window.h"
#include "ardea/schedule/program/both_hold.h"
#include "ardea/schedule/program/plain_loop.h"
#include "ardea/schedule/program/refer.h"
#include "ardea/schedule/program/touches.h"

namespace ardea::schedule {

namespace {

using arith::as_index;

/// Why the program stays what it is. Let the loop's iterations be a, a + 1, …, and the window of iteration i
/// be the rows [f(i), f(i) + W), with f never falling.
///
/// What is skipped was computed. Iteration i > a leaves out the rows r < f(i - 1) + W of its window. Of these
/// r >= f(i) >= f(i - 1), so that r is in the window of i - 1, too, where the same elements of it are
/// computed (rolling_window.h); and so on, back to an iteration that did compute r: the first one at the
/// latest. It computed what i would, because the block is a function of its iterators and of what stays the
/// same.
///
/// What was computed is still there. Let j compute row r, and i > j be an iteration with r in its window.
/// Only rows r' = r + m W with m ≠ 0 would overwrite it, written by some k, j < k <= i. Where m > 0, r' >= r
/// + W >= f(i) + W >= f(k) + W, which is behind k's window. Where m < 0, r' < r < f(j) + W <= f(k - 1) + W,
/// which k leaves out.
///
/// What is read is in the window: an iteration reads only what it has computed itself, before.
class Rolling {
 public:
  Rolling(const Function& f, Path path, Buffer buffer, Context& context)
      : f_(f),
        path_(std::move(path)),
        scope_(path_.block_around()),
        block_(path_.block()),
        buffer_(std::move(buffer)),
        context_(context) {}

  Outcome run() {
    for (const auto check : {&Rolling::check_block, &Rolling::find_loop, &Rolling::check_nest})
      ARDEA_TRY((this->*check)());
    const RollingWindow window = ARDEA_TRY(rolling_window(f_, path_, at_, context_));
    ARDEA_TRY(check_values());
    const Function program = rolled(window);
    ARDEA_TRY(context_.judge(refuse_races_around(program, *path_to(program, BlockRef{block_.id}))));
    return Applied{program};
  }

 private:
  const For& loop() const { return *path_[at_].as<For>(); }

  std::optional<Refusal> check_block() {
    if (block_.writes->size() != 1)
      return Refusal{"several_outputs",
                     fmt::format("block {} writes {} buffers, which would be computed less "
                                 "often together; it must write one",
                                 block_.name, block_.writes->size())};
    ARDEA_TRY(refuse_unless_recomputable(f_, path_));
    bool holds_blocks = false;
    for (const Stmt& part : {block_.init, block_.body})
      if (part.defined())
        visit_stmts(part, [&](const Stmt& s) { holds_blocks = holds_blocks || s.is<Block>(); });
    if (holds_blocks)
      return Refusal{"nested_blocks",
                     fmt::format("block {} holds blocks, whose iterators would share memory", block_.name)};
    touches_ = touches(scope_, buffer_);
    if (!std::all_of(touches_.begin(), touches_.end(), [](const Touch& touch) { return touch.plain; }))
      return Refusal{
          "buffer_is_viewed",
          fmt::format("{} is also used through a view, a matched part or an address", buffer_->name)};
    if (const auto access = vector_access(scope_.back(), buffer_))
      return Refusal{"vector_access",
                     fmt::format("{} is touched as a vector or under a mask: {}", buffer_->name, *access)};
    return std::nullopt;
  }

  /// The innermost loop around the block and each reader.
  std::optional<Refusal> find_loop() {
    bool found = false;
    for (const Touch& touch : touches_) {
      if (path_.holds(path_.size() - 1, touch.path)) continue;
      const auto common = common_loop(scope_, path_, touch.path);
      if (!common || (found && *common != at_))
        return Refusal{
            "no_common_loop",
            fmt::format("block {} and {}, which reads {}, are not in one innermost loop{}", block_.name,
                        reader(touch), buffer_->name, common ? " with the other readers" : ""),
            {},
            [] { return std::string("compute_at moves the block to its readers"); }};
      at_ = *common;
      found = true;
    }
    if (found) return std::nullopt;
    return Refusal{"no_reader", fmt::format("nothing reads {}", buffer_->name)};
  }

  std::string reader(const Touch& touch) const {
    for (std::size_t i = touch.path.size(); i-- > scope_.size();)
      if (const auto* block = touch.path[i].as<Block>()) return "block " + block->name;
    return "code";
  }

  std::optional<Refusal> check_nest() {
    if (is_concurrent(loop().kind))
      return Refusal{"loop_is_concurrent", fmt::format("the iterations of loop {} run at the same time, and "
                                                       "none of them finds what the one before has left",
                                                       loop().var.name())};
    ARDEA_TRY(refuse_other_statements(path_));
    for (std::size_t i = at_; i < path_.size(); ++i)
      if (const auto* part = path_[i].as<For>()) ARDEA_TRY(refuse_bounds_in_memory(*part));
    return refuse_unless_movable(path_, at_);
  }

  std::optional<Refusal> refuse_other_statements(const Path& path) const {
    for (std::size_t i = at_ + 1; i + 1 < path.size(); ++i)
      if (!path[i].is<For>() && !path[i].is<Seq>())
        return Refusal{"not_plain_nest",
                       fmt::format("something else than loops stands between loop {} and block {}",
                                   loop().var.name(), path.block().name)};
    return std::nullopt;
  }

  std::optional<Refusal> check_values() {
    ARDEA_TRY(refuse_unless_own(buffer_, "read_before_computed"));
    return refuse_changing_inputs(path_);
  }

  /// Refused where an iteration is not proved to read only what it has written itself, before.
  std::optional<Refusal> refuse_unless_own(const Buffer& buffer, const char* code) {
    const std::vector<Var> variables = path_.upto(at_ + 1).variables();
    const std::unordered_set<Var> around(variables.begin(), variables.end());
    if (arith::reads_only_own_writes(loop().body, buffer, around, path_.upto(at_ + 1).facts(f_)))
      return std::nullopt;
    return context_.judge(Refusal{
        code,
        fmt::format("it is not proved that each iteration of loop {} reads only such elements of {} as it "
                    "has computed before",
                    loop().var.name(), buffer->name)});
  }

  /// The block at the end of `path` reads what is the same in all iterations of the loop: nothing in the loop
  /// writes it; or one block does, the same values at the same places each time, and before they are read in
  /// the same iteration.
  std::optional<Refusal> refuse_changing_inputs(const Path& path) {
    const Block& reader = path.block();
    for (const BufferRegion& region : *reader.reads) {
      if (!steady_.insert(region.buffer).second || region.buffer == buffer_) continue;
      const Path writer = ARDEA_TRY(writer_of_input(region.buffer, reader));
      if (writer.empty()) continue;
      ARDEA_TRY(refuse_unless_own(region.buffer, "input_changes"));
      ARDEA_TRY(refuse_changing_inputs(writer));
    }
    return std::nullopt;
  }

  /// The block in the loop that alone writes the buffer, as a function of its iterators; none where nothing
  /// in the loop writes it.
  Result<Path> writer_of_input(const Buffer& input, const Block& reader) {
    const auto changes = [&](const std::string& why) {
      return Refusal{"input_changes", fmt::format("{}, which block {} reads, is written in loop {}, and {}",
                                                  input->name, reader.name, loop().var.name(), why)};
    };
    Path writer;
    for (const Touch& touch : touches(scope_, input)) {
      if (!touch.writes || !path_.holds(at_, touch.path)) continue;
      if (!touch.plain) return changes("that through a view, a matched part or an address");
      std::size_t outermost = at_ + 1;
      while (outermost < touch.path.size() && !touch.path[outermost].is<Block>()) ++outermost;
      if (outermost == touch.path.size()) return changes("that outside of blocks");
      const Path found = touch.path.upto(outermost);
      if (!writer.empty() && !(writer == found))
        return changes(fmt::format("that by {} and {}", writer.block().name, found.block().name));
      writer = found;
    }
    if (writer.empty()) return writer;
    const Block& block = writer.block();
    ARDEA_TRY(refuse_other_statements(writer));
    if (reads_own_writes(block) || arith::has_effects(block))
      return changes(fmt::format("running block {} twice is not running it once", block.name));
    bool sums = false;
    for (const BlockIterator& iterator : block.iterators) {
      if (iterator.kind == IteratorKind::ordered || iterator.kind == IteratorKind::opaque)
        return changes(
            fmt::format("the values of iterator {} of block {} come in an order: roll the buffer of "
                        "block {} first",
                        iterator.var.name(), block.name, block_.name));
      sums = sums || iterator.kind == IteratorKind::reduce;
    }
    if (sums) ARDEA_TRY(refuse_other_sums(f_, writer, at_, context_));
    return writer;
  }

  Function rolled(const RollingWindow& window) const {
    Block block = block_;
    BlockIterator& moving = block.iterators[window.iterator];
    moving.kind = IteratorKind::ordered;
    const arith::Analyzer facts = path_.facts(f_, false);
    const Expr is_new = facts.simplify(as_index(moving.binding) >= window.previous + window.rows);
    block.predicate = both_hold(block.predicate, logical_or(equals(loop().var, loop().min), is_new));
    const Function program = with(f_, path_, block);

    const Path owner = *path_to(program, BlockRef{scope_.block().id});
    BufferLayout layout{buffer_, {}, buffer_->shape};
    for (std::size_t d = 0; d < buffer_->shape.size(); ++d) {
      layout.map.from.emplace_back("d" + std::to_string(d));
      layout.map.to.emplace_back(layout.map.from.back());
    }
    layout.shape[window.dimension] = window.rows;
    layout.map.to[window.dimension] = floor_mod(layout.map.from[window.dimension], window.rows);
    const Buffer to = make_buffer(buffer_->name, layout.shape, buffer_->type, buffer_->scope);
    const Stmt moved = in_layout(owner.back(), layout, to, facts_for_block(program, owner));
    const Function placed = with(program, owner, with_whole_rows(moved, to, window));
    return arith::complete_regions(with_allocation(placed, BlockRef{scope_.block().id}, to, buffer_));
  }

  /// Who reads several rows reads them around the end of the buffer: what it declares is all of them.
  static Stmt with_whole_rows(const Stmt& s, const Buffer& buffer, const RollingWindow& window) {
    Rewriter rewriter;
    rewriter.stmt_after = [&](const Stmt& part) -> Stmt {
      const auto* block = part.as<Block>();
      if (block == nullptr || !block->reads) return part;
      Block whole = *block;
      for (BufferRegion& region : *whole.reads)
        if (region.buffer == buffer && constant_int(region.region[window.dimension].extent) != 1)
          region.region[window.dimension] = {make_int(0), window.rows};
      return whole;
    };
    return rewrite(s, rewriter);
  }

  const Function& f_;
  const Path path_;
  const Path scope_;
  const Block& block_;
  const Buffer buffer_;
  Context& context_;
  std::vector<Touch> touches_;
  std::size_t at_ = 0;  ///< of the loop in the path
  std::unordered_set<Buffer> steady_;
};

}  // namespace

Outcome apply(const Function& f, const RollingBuffer& step, Context& context) {
  Path path = ARDEA_TRY(refer(f, step.block));
  if (path.size() == 1) return Refusal{"root_block", "the root block writes nothing itself"};
  Buffer buffer = ARDEA_TRY(buffer_at(path.block(), Side::write, step.buffer_index));
  return Rolling(f, std::move(path), std::move(buffer), context).run();
}

}  // namespace ardea::schedule
