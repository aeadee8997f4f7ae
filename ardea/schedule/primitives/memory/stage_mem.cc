#include "ardea/schedule/primitives/memory/stage_mem.h"

#include <algorithm>

#include "ardea/arith/coverage.h"
#include "ardea/arith/regions.h"
#include "ardea/ir/print.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/analysis/concurrency.h"
#include "ardea/schedule/analysis/moved_block.h"
#include "ardea/schedule/analysis/placed_nest.h"
#include "ardea/schedule/analysis/reduction_nest.h"
#include "ardea/schedule/primitives/memory/added_blocks.h"
#include "ardea/schedule/primitives/memory/begun_reduction.h"
#include "ardea/schedule/primitives/memory/guarded_part.h"
#include "ardea/schedule/primitives/memory/held_values.h"
#include "ardea/schedule/primitives/memory/staged_window.h"
#include "ardea/schedule/primitives/memory/update_stores.h"
#include "ardea/schedule/program/refer.h"
#include "ardea/schedule/program/scope.h"
#include "ardea/schedule/program/touches.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

namespace {

using arith::Analyzer;
using arith::Proof;
using arith::Touched;

std::vector<BufferRegion> regions_of(const std::vector<Touched>& touched) {
  std::vector<BufferRegion> regions;
  for (const Touched& box : touched) regions.push_back(box.region);
  return regions;
}

/// One window: what of it is copied in and out, and by what.
class Staging {
 public:
  Staging(const Function& f, const StageMem& step, Path path, Context& context)
      : f_(f),
        context_(context),
        step_(step),
        path_(std::move(path)),
        around_(path_.upto(path_.size() - 2).variables()),
        facts_(path_.facts(f)) {
    // A part that does not run touches nothing, and then nothing is copied.
    const GuardedPart guarded = guarded_part(path_.back());
    part_ = guarded.part;
    guard_ = guarded.guard;
    if (guard_.defined()) facts_.assume(guard_);
  }

  Outcome run() {
    const arith::Accesses touched = arith::accesses(part_, facts_);
    Buffer found = ARDEA_TRY(
        find_buffer(step_.buffer, regions_of(touched.reads), regions_of(touched.writes), part_name()));
    buffer_ = std::move(found);
    reads_ = touched_box(touched.reads, buffer_);
    writes_ = touched_box(touched.writes, buffer_);
    ARDEA_TRY(refuse_access());
    BufferRegion window = ARDEA_TRY(
        staged_window(f_, {part_name(), buffer_, touched, around_, facts_}, step_.window, context_));
    window_ = std::move(window);
    ARDEA_TRY(decide_copies());
    return staged();
  }

 private:
  std::string part_name() const {
    const auto* loop = part_.as<For>();
    return loop != nullptr ? "loop " + loop->var.name() : "block " + part_.as<Block>()->name;
  }

  bool is_inside(const Path& path) const {
    return std::find(path.begin(), path.end(), path_.back()) != path.end();
  }

  std::optional<Refusal> refuse_access() {
    if (!scope_rank(step_.storage_scope))
      return Refusal{"no_such_scope", fmt::format("there is no scope {}, only {}",
                                                  in_quotes(step_.storage_scope), known_scopes())};
    for (const Touch& touch : touches(path_.block_around(), buffer_))
      if (!touch.plain && is_inside(touch.path))
        return Refusal{"buffer_is_viewed",
                       fmt::format("{} touches {} through a view, a matched part or an address", part_name(),
                                   buffer_->name)};
    return std::nullopt;
  }

  /// Whether the part reads of the buffer only what it has itself written before.
  bool reads_only_own_writes() const {
    return arith::reads_only_own_writes(part_, buffer_, {around_.begin(), around_.end()}, facts_);
  }

  bool has_init_of_buffer() const {
    bool found = false;
    visit_stmts(part_, [&](const Stmt& s) {
      const auto* block = s.as<Block>();
      if (block == nullptr || !block->init.defined()) return;
      const std::vector<Buffer> set = buffers_in(block->init);
      found = found || std::find(set.begin(), set.end(), buffer_) != set.end();
    });
    return found;
  }

  bool contains(const BufferRegion& outer, const BufferRegion& inner) const {
    return arith::contains(outer, inner, facts_) == Proof::proved;
  }

  std::optional<Refusal> decide_copies() {
    if (step_.accumulate && has_init_of_buffer()) return take_init();
    const bool own = reads_only_own_writes();
    if (!own && has_init_of_buffer())
      return Refusal{"init_inside",
                     fmt::format("{} contains an init of {} that not all of its runs begin with", part_name(),
                                 buffer_->name),
                     {},
                     [] { return std::string("decompose_reduction takes it out"); }};
    loads_ = step_.accumulate || !own || (writes_ && !writes_->exact);
    if (step_.accumulate && (!writes_ || !only_adds(path_.back(), buffer_)))
      return Refusal{"not_a_sum", fmt::format("{} does something else with {} than to add to its elements",
                                              part_name(), buffer_->name)};
    const bool reads_all = reads_ && reads_->exact && contains(reads_->region, window_);
    if (!loads_ || is_never_written(f_, buffer_) ||
        (reads_all && writes_are_updates(path_.back(), buffer_)) ||
        was_written_before(f_, path_, window_, facts_))
      return std::nullopt;
    return context_.judge(Refusal{
        "window_has_no_value",
        fmt::format("it is not proved that all of {}, which is copied in before {}, has a value there",
                    print(window_), part_name())});
  }

  /// The part sums into the window from zero on, without the init of the reduction: runs that would begin
  /// with it store the sums, the others add them.
  std::optional<Refusal> take_init() {
    const auto refused = [&](const std::string& why) {
      return Refusal{"init_inside",
                     fmt::format("{} contains an init of {}, and {}", part_name(), buffer_->name, why),
                     {},
                     [] { return std::string("decompose_reduction takes it out"); }};
    };
    const auto begun = begun_reduction(f_, path_, buffer_, context_);
    if (const auto* why = std::get_if<std::string>(&begun)) return refused(*why);
    const BegunReduction& reduction = std::get<BegunReduction>(begun);
    summed_ = reduction.without_init;
    begins_ = facts_.simplify(reduction.begins);
    loads_ = true;
    if (!only_adds(summed_, buffer_))
      return refused("does something else with it than to add to its elements");
    const auto summed =
        touched_box(arith::accesses_of(buffer_, reduction.first_updates, facts_).writes, buffer_);
    if (!summed || !summed->exact || !contains(summed->region, window_))
      return context_.judge(
          refused(fmt::format("it is not proved that each run sums into all of {}", print(window_))));
    return std::nullopt;
  }

  Outcome staged() {
    const std::string name = buffer_->name + "_" + step_.storage_scope;
    const Buffer copy = make_buffer(name, buffer_->shape, buffer_->type, step_.storage_scope);
    std::vector<Stmt> statements = {
        substitute_buffers(begins_.defined() ? summed_ : path_.back(), {{buffer_, copy}})};
    std::vector<Reference> results;
    const auto add = [&](const char* suffix, const Buffer& to, const BufferRegion& box, const auto& value,
                         const std::vector<Expr>& where) {
      const Block block =
          block_over(free_block_name(f_, buffer_->name + suffix), buffer_->shape,
                     [&](const std::vector<Expr>& at) { return make_store(to, at, value(at)); });
      results.emplace_back(BlockRef{block.id});
      return nest_over(block, box, where);
    };
    const auto copied = [&](const auto& at) { return make_load(copy, at); };
    const auto added = [&](const auto& at) { return make_load(buffer_, at) + make_load(copy, at); };
    // Zeros may be written where the part does not run: nobody reads them there.
    if (step_.accumulate)
      statements.insert(
          statements.begin(),
          add("_zero", copy, window_, [&](const auto&) { return make_const(0, buffer_->type); }, {}));
    else if (loads_)
      statements.insert(
          statements.begin(),
          add("_load", copy, window_, [&](const auto& at) { return make_load(buffer_, at); }, {guard_}));
    if (begins_.defined()) {
      if (!context_.leaves_out(facts_, logical_not(begins_)))
        statements.push_back(add("_store", buffer_, writes_->region, copied, {guard_, begins_}));
      if (!context_.leaves_out(facts_, begins_))
        statements.push_back(add("_add", buffer_, writes_->region, added, {guard_, logical_not(begins_)}));
    } else if (writes_) {
      statements.push_back(step_.accumulate ? add("_store", buffer_, writes_->region, added, {guard_})
                                            : add("_store", buffer_, writes_->region, copied, {guard_}));
    }
    Function program = with_in_sequence(f_, path_, std::move(statements));
    program = without_regions_around(program);
    program = with_allocation(program, BlockRef{path_.block_around().block().id}, copy);
    program = arith::complete_regions(program);
    for (const Reference& added : results)
      ARDEA_TRY(context_.judge(refuse_races_around(program, *path_to(program, std::get<BlockRef>(added)))));
    return Applied{program, results};
  }

  /// The block in loops over the box, where all of the conditions hold.
  Stmt nest_over(const Block& block, const BufferRegion& box, const std::vector<Expr>& where) const {
    NestRequest request;
    for (const Range& range : box.region) request.wanted.push_back(bounds_of(range, facts_));
    request.allowed = request.wanted;
    request.keep_unit_loops = context_.keeps_unit_loops();
    for (const Expr& condition : where)
      if (!is_true(condition)) request.guards.push_back(condition);
    return placed_nest(block, request, around_, path_.facts(f_));
  }

  /// The blocks around the part, the root aside, may now read what they only wrote before: their regions are
  /// inferred again.
  Function without_regions_around(Function program) const {
    for (std::size_t i = 1; i + 1 < path_.size(); ++i) {
      const auto* old = path_[i].as<Block>();
      if (old == nullptr) continue;
      const Path path = *path_to(program, BlockRef{old->id});
      Block block = path.block();
      block.reads.reset();
      block.writes.reset();
      program = with(program, path, block);
    }
    return program;
  }

  const Function& f_;
  Context& context_;
  const StageMem& step_;
  const Path path_;
  const std::vector<Var> around_;  ///< what windows may vary with
  Stmt part_;                      ///< without the conditions under which it runs
  Expr guard_;                     ///< these conditions
  Analyzer facts_;
  Buffer buffer_;
  std::optional<Touched> reads_, writes_;
  BufferRegion window_;
  bool loads_ = false;
  Stmt summed_;  ///< the part without the init that it contained
  Expr begins_;  ///< when it contained one: in which of its runs that would have happened
};

}  // namespace

Outcome apply(const Function& f, const StageMem& step, Context& context) {
  Path path = ARDEA_TRY(refer(f, step.block_or_loop));
  if (path.size() == 1)
    return Refusal{"root_block", "the root block is all of the program, and nothing is around it"};
  return Staging(f, step, std::move(path), context).run();
}

}  // namespace ardea::schedule
