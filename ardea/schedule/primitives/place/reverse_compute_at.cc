#include "ardea/schedule/primitives/place/reverse_compute_at.h"

#include <algorithm>

#include "ardea/arith/distances.h"
#include "ardea/arith/iter_map.h"
#include "ardea/arith/regions.h"
#include "ardea/arith/regions_conditions.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/analysis/moved_block.h"
#include "ardea/schedule/analysis/placed_nest.h"
#include "ardea/schedule/primitives/place/position.h"
#include "ardea/schedule/program/removal.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

namespace {

using arith::Analyzer;
using arith::Proof;

/// One placement: the checks, what is there in an iteration, the new loops, and the proof that they are
/// right.
class Consuming {
 public:
  Consuming(const Function& f, const ReverseComputeAt& step, Places places)
      : f_(f),
        step_(step),
        places_(std::move(places)),
        block_(places_.block.block()),
        loop_(places_.loop.loop()),
        space_(iteration_space(block_)),
        facts_(places_.loop.facts(f)) {
    facts_.bind(loop_.var, {loop_.min, loop_.extent});
  }

  Outcome run(Context& context) {
    ARDEA_TRY(check(context));
    ARDEA_TRY(context.judge(find_written()));
    std::size_t position =
        ARDEA_TRY(position_of(step_.index, after_producers(), statements_of(loop_.body).size(), step_.loop));
    const Executed before = executed(f_, places_.block, places_.common, space_);
    if (!before.exact)
      ARDEA_TRY(context.judge(
          Refusal{"not_all_values_run",
                  fmt::format("it is not known which values of its iterators block {} runs in its own "
                              "place: {} or a part of it",
                              block_.name, print(before.box))}));
    const IteratorValues values = available_values(before);
    ARDEA_TRY(context.judge(refuse_no_value(values)));
    const NestRequest request{values, values, guards_,
                              step_.preserve_unit_loops || context.keeps_unit_loops(),
                              context.structure() == Structure::of_template};
    const Stmt nest = placed_nest(block_, request, places_.loop.variables(), facts_);
    ARDEA_TRY(context.judge(check_reads(nest)));
    const Removed removed = without(f_, places_.block);
    const Function placed = with_inside(removed.program, step_.loop, position, nest);
    const Path now = *path_to(placed, step_.block);
    ARDEA_TRY(context.judge(check_values(before, placed, now)));
    // No new race: each element is written by one iteration of every loop around, and what is read there was
    // written by the same iteration or by none.
    return Applied{placed, {}, removed.gone};
  }

 private:
  std::optional<Refusal> check(Context& context) {
    if (places_.loop_position > places_.block_position)
      return Refusal{"loop_is_after_block", fmt::format("loop {} runs after block {}, so that nothing "
                                                        "under it can be an input of the block",
                                                        loop_.var.name(), block_.name)};
    ARDEA_TRY(refuse_unless_movable(places_.block, places_.common));
    const std::vector<Stmt> between = places_.statements_between();
    const Memory reads = memory_of(*block_.reads), writes = memory_of(*block_.writes);
    produced_ = common(reads, use_of(between, block_.id).writes);
    updated_ = common(produced_, writes);
    ARDEA_TRY(check_outputs(between, writes));
    if (!meet(memory_use(loop_.body).writes, produced_))
      return Refusal{"no_producer", fmt::format("nothing under loop {} writes what block {} reads",
                                                loop_.var.name(), block_.name)};
    const MemoryUse outside = use_outside(between);
    if (meet(outside.writes, reads))
      return Refusal{"producer_elsewhere",
                     fmt::format("block {} reads {}, which is also written outside loop {}", block_.name,
                                 name_in(outside.writes, *block_.reads), loop_.var.name())};
    return context.judge(refuse_other_reduction_order(f_, places_.block, places_.common));
  }

  /// What the statements touch outside the loop.
  MemoryUse use_outside(const std::vector<Stmt>& statements) const {
    return memory_use(make_seq(statements),
                      [&](const Stmt& part) { return part == loop_.body || is_block(part, block_.id); });
  }

  /// Nobody else may touch what the block writes, except under the loop where it updates what is made there.
  std::optional<Refusal> check_outputs(const std::vector<Stmt>& between, const Memory& writes) const {
    const MemoryUse outside = use_outside(between), inside = memory_use(loop_.body);
    Memory touched;
    for (const auto* memory : {&outside.reads, &outside.writes})
      touched.insert(memory->begin(), memory->end());
    for (const auto* memory : {&inside.reads, &inside.writes})
      for (const Var& data : *memory)
        if (!updated_.contains(data)) touched.insert(data);
    const Memory shared = common(touched, writes);
    if (shared.empty()) return std::nullopt;
    return output_used(shared, between);
  }

  Refusal output_used(const Memory& shared, const std::vector<Stmt>& statements) const {
    const std::string reader = reader_of(shared, statements, block_.id);
    return {"output_used_between",
            fmt::format("{} touches {} between the two places of block {}, which writes it",
                        reader == "code" ? writer_of(shared, statements, block_.id) : reader,
                        name_in(shared, *block_.writes), block_.name)};
  }

  /// Conditions of producers that one iteration of the loop decides: they become conditions of the block.
  void find_guards() {
    std::vector<Var> inside;
    visit_stmts(loop_.body, [&](const Stmt& s) {
      if (const auto* loop = s.as<For>()) inside.push_back(loop->var);
      if (const auto* let = s.as<LetStmt>()) inside.push_back(let->var);
      if (const auto* block = s.as<Block>())
        for (const BlockIterator& iterator : block->iterators) inside.push_back(iterator.var);
    });
    const auto is_decided = [&](const Expr& condition) {
      bool reads = false;
      visit_exprs(condition, [&](const Expr& e) { reads = reads || e.is<Load>() || e.is<Call>(); });
      return !reads &&
             std::none_of(inside.begin(), inside.end(), [&](const Var& v) { return uses(condition, v); });
    };
    visit_stmts(loop_.body, [&](const Stmt& s) {
      const auto* block = s.as<Block>();
      if (block == nullptr || !block->predicate.defined() || !meet(memory_use(s).writes, produced_)) return;
      for (const Expr& part : arith::conjuncts(block->predicate))
        if (is_decided(part) && !facts_.proves(part)) guards_.push_back(part);
    });
  }

  /// What the producers write in one iteration of the loop: known exactly, and by no other iteration.
  std::optional<Refusal> find_written() {
    find_guards();
    Analyzer guarded = facts_;
    for (const Expr& guard : guards_) guarded.assume(guard);
    for (const arith::Touched& write : arith::accesses_of(produced_, loop_.body, guarded).writes)
      if (produced_.contains(write.region.buffer->data)) written_.push_back(write);
    const std::vector<arith::LoopRange> loops = loops_to_the_loop();
    for (const arith::Touched& write : written_) {
      const BufferRegion& box = write.region;
      const auto reads_it = [&](const BufferRegion& read) {
        return read.buffer->data == box.buffer->data && !(read.buffer == box.buffer);
      };
      if (!write.exact || std::any_of(block_.reads->begin(), block_.reads->end(), reads_it))
        return Refusal{"producer_not_exact",
                       fmt::format("what one iteration of loop {} writes of {} is not known exactly: it lies "
                                   "in {}",
                                   loop_.var.name(), box.buffer->name, print(box))};
      if (written_again(box, loops))
        return Refusal{"producer_not_finished",
                       fmt::format("one iteration of loop {} writes {}, but it is not proved that no other "
                                   "one writes there, too",
                                   loop_.var.name(), print(box))};
    }
    return check_updates(guarded);
  }

  /// What the block updates in place, each iteration keeps to itself.
  std::optional<Refusal> check_updates(const Analyzer& facts) const {
    for (const arith::Access& access : arith::each_access(loop_.body, facts)) {
      const BufferRegion& region = access.touched().region;
      if (updated_.contains(region.buffer->data) && !is_written(region, facts))
        return output_used({region.buffer->data}, {loop_.body});
    }
    return std::nullopt;
  }

  /// Whether all of the region is written in one iteration of the loop.
  bool is_written(const BufferRegion& region, const Analyzer& facts) const {
    return std::any_of(written_.begin(), written_.end(), [&](const arith::Touched& write) {
      return write.region.buffer == region.buffer &&
             arith::contains(write.region, region, facts) == Proof::proved;
    });
  }

  std::vector<arith::LoopRange> loops_to_the_loop() const {
    std::vector<arith::LoopRange> loops;
    for (std::size_t i = places_.common; i < places_.loop.size(); ++i)
      if (const auto* loop = places_.loop[i].as<For>())
        loops.emplace_back(loop->var, Range{loop->min, loop->extent});
    return loops;
  }

  bool written_again(const BufferRegion& box, const std::vector<arith::LoopRange>& loops) const {
    for (const arith::LoopRange& loop : loops)
      if (arith::uses_any(loop.second.min, loops) || arith::uses_any(loop.second.extent, loops)) return true;
    if (arith::separating_dimensions(box.region, loops, facts_)) return false;
    for (const arith::Signs& signs : distances(box, box, loops, facts_))
      if (signs.positive || signs.negative) return true;
    return false;
  }

  std::size_t after_producers() const {
    const std::vector<Stmt> statements = statements_of(loop_.body);
    std::size_t end = statements.size();
    const auto comes_before = [&](const MemoryUse& use) {
      return meet(use.writes, produced_) || meet(use.reads, updated_);
    };
    while (!comes_before(memory_use(statements[end - 1]))) --end;
    return end;
  }

  /// The values whose reads lie in what is written, among those that ran before.
  IteratorValues available_values(const Executed& before) const {
    IteratorValues values(block_.iterators.size());
    for (const BufferRegion& read : *block_.reads)
      for (const arith::Touched& write : written_)
        if (write.region.buffer == read.buffer)
          intersect(values, values_reaching(block_, read, write.region, Reach::only, facts_));
    IteratorValues ran;
    for (const Range& range : before.box.region) ran.push_back(bounds_of(range, facts_));
    intersect(values, ran);
    return values;
  }

  std::optional<Refusal> refuse_no_value(const IteratorValues& values) const {
    for (std::size_t i = 0; i < values.size(); ++i)
      for (const Expr& low : values[i].lows)
        for (const Expr& high : values[i].highs)
          if (facts_.proves(high < low))
            return Refusal{"reads_more_than_computed",
                           fmt::format("no value of iterator {} of block {} finds all that it reads in one "
                                       "iteration of loop {}",
                                       block_.iterators[i].var.name(), block_.name, loop_.var.name()),
                           {},
                           [] { return std::string("a loop further out computes more"); }};
    return std::nullopt;
  }

  /// The proof of what matters most, on the code as it will stand: each access is of something finished.
  std::optional<Refusal> check_reads(const Stmt& nest) const {
    for (const arith::Access& access : arith::each_access(nest, facts_)) {
      if (!produced_.contains(access.each.buffer->data)) continue;
      Analyzer where_it_happens = facts_;
      for (const Expr& condition : access.conditions) where_it_happens.assume(condition);
      const BufferRegion region =
          access.conditions.empty() ? access.touched().region : access.touched_under_conditions().region;
      if (is_written(region, where_it_happens)) continue;
      return Refusal{"reads_more_than_computed",
                     fmt::format("block {} would {} {}, but one iteration of loop {} computes {}",
                                 block_.name, access.write ? "write" : "read", print(region),
                                 loop_.var.name(), print(computed(region.buffer))),
                     {},
                     [] { return std::string("a loop further out computes more"); }};
    }
    return std::nullopt;
  }

  const BufferRegion& computed(const Buffer& buffer) const {
    return std::find_if(written_.begin(), written_.end(),
                        [&](const arith::Touched& t) { return t.region.buffer->data == buffer->data; })
        ->region;
  }

  /// All iterations together run what ran before; and nothing twice where that matters.
  std::optional<Refusal> check_values(const Executed& before, const Function& placed, const Path& now) const {
    const std::size_t first = beside(now);
    const Executed after = executed(placed, now, first, space_);
    const Analyzer outside = now.upto(first).facts(placed);
    if (!after.exact || arith::contains(after.box, before.box, outside) != Proof::proved)
      return Refusal{"not_all_values_run",
                     fmt::format("block {} runs {} in its own place, and it is not proved that the "
                                 "iterations of loop {} make all of it ready",
                                 block_.name, print(before.box), loop_.var.name())};
    const bool once = reads_own_writes(block_) || !whole_reductions(before);
    if (once && (!runs_once(f_, places_.block, places_.common) || !runs_once(placed, now, first)))
      return Refusal{"runs_twice",
                     fmt::format("block {} changes what was there, and it is not proved that each value of "
                                 "its iterators runs once",
                                 block_.name)};
    return std::nullopt;
  }

  /// The first statement of the new path that is not around the old place. A sequence that held nothing else
  /// than the two places is gone.
  std::size_t beside(const Path& now) const {
    return now[places_.common - 1].is<Seq>() ? places_.common : places_.common - 1;
  }

  bool whole_reductions(const Executed& before) const {
    for (std::size_t i = 0; i < block_.iterators.size(); ++i) {
      if (block_.iterators[i].kind != IteratorKind::reduce) continue;
      const BufferRegion runs{space_, {before.box.region[i]}}, all{space_, {block_.iterators[i].domain}};
      if (arith::contains(runs, all, facts_) != Proof::proved) return false;
    }
    return true;
  }

  static bool runs_once(const Function& f, const Path& path, std::size_t first) {
    const Between inside = between(path, first);
    Expr condition = make_bool(true);
    for (const Expr& part : inside.conditions) condition = logical_and(condition, part);
    const Analyzer facts = path.upto(first).facts(f);
    const auto map = arith::iter_map(inside.bindings, inside.loops, condition, facts);
    return map && map->injective;
  }

  const Function& f_;
  const ReverseComputeAt& step_;
  const Places places_;
  const Block& block_;
  const For& loop_;
  const Buffer space_;
  Analyzer facts_;
  Memory updated_;                       ///< of what is produced, what the block writes itself
  Memory produced_;                      ///< what the block reads and code between the places writes
  std::vector<Expr> guards_;             ///< under which the producers run
  std::vector<arith::Touched> written_;  ///< of that, in one iteration of the loop
};

}  // namespace

Outcome apply(const Function& f, const ReverseComputeAt& step, Context& context) {
  Places found = ARDEA_TRY(places_of(f, step.block, step.loop));
  return Consuming(f, step, std::move(found)).run(context);
}

}  // namespace ardea::schedule
