#include "ardea/schedule/primitives/place/compute_at.h"

#include <algorithm>

#include "ardea/arith/regions.h"
#include "ardea/ir/print.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/analysis/concurrency.h"
#include "ardea/schedule/analysis/moved_block.h"
#include "ardea/schedule/analysis/placed_nest.h"
#include "ardea/schedule/primitives/place/compute_inline.h"
#include "ardea/schedule/primitives/place/compute_root.h"
#include "ardea/schedule/primitives/place/legal_loops.h"
#include "ardea/schedule/primitives/place/position.h"
#include "ardea/schedule/program/changes.h"
#include "ardea/schedule/program/removal.h"
#include "ardea/schedule/program/scope.h"

namespace ardea::schedule {

namespace {

using arith::Analyzer;

/// One placement: the checks, what is needed at the loop, and the new loops.
class ComputingAt {
 public:
  ComputingAt(const Function& f, const ComputeAt& step, Places places)
      : f_(f),
        step_(step),
        places_(std::move(places)),
        block_(places_.block.block()),
        loop_(places_.loop.loop()),
        written_(memory_of(*block_.writes)),
        facts_(places_.loop.facts(f)) {
    facts_.bind(loop_.var, {loop_.min, loop_.extent});
  }

  Outcome run(Context& context) {
    ARDEA_TRY(check(context));
    const IteratorValues needed = needed_values();
    IteratorValues allowed = ARDEA_TRY(allowed_values(needed, context));
    NestRequest request{needed, std::move(allowed), {}};
    request.keep_unit_loops = step_.preserve_unit_loops || context.keeps_unit_loops();
    request.of_template = context.structure() == Structure::of_template;
    request.conditions = where_;
    std::size_t position = ARDEA_TRY(position_of(step_.index, 0, first_consumer(), step_.loop));
    const Stmt nest = placed_nest(block_, request, places_.loop.variables(), facts_);
    const Removed removed = without(f_, places_.block);
    const Function placed = with_inside(removed.program, step_.loop, position, nest);
    ARDEA_TRY(context.judge(refuse_races_around(placed, *path_to(placed, step_.block))));
    return Applied{placed, {}, removed.gone};
  }

 private:
  std::optional<Refusal> check(Context& context) const {
    if (places_.loop_position < places_.block_position)
      return Refusal{"loop_is_before_block", fmt::format("loop {} runs before block {} has computed anything",
                                                         loop_.var.name(), block_.name)};
    ARDEA_TRY(refuse_unless_movable(places_.block, places_.common));
    ARDEA_TRY(refuse_unless_recomputable(f_, places_.block));
    ARDEA_TRY(check_consumers());
    ARDEA_TRY(context.judge(refuse_changes_after(f_, places_)));
    return context.judge(refuse_other_reduction_order(f_, places_.block, places_.common));
  }

  std::optional<Refusal> check_consumers() const {
    const std::vector<Path> consumers = consumers_of(f_, places_.block);
    for (const Path& consumer : consumers)
      if (std::find(consumer.begin(), consumer.end(), places_.loop.back()) == consumer.end())
        return Refusal{
            "consumer_elsewhere",
            fmt::format("block {} reads {} outside loop {}", consumer.block().name,
                        name_in(memory_of(*consumer.block().reads), *block_.writes), loop_.var.name())};
    const Stmt& scope = places_.block.block_around().block().body;
    const MemoryUse outside =
        memory_use(scope, [&](const Stmt& s) { return s == loop_.body || is_block(s, block_.id); });
    if (meet(outside.reads, written_))
      return Refusal{"consumer_elsewhere", fmt::format("code outside loop {} reads {}", loop_.var.name(),
                                                       name_in(outside.reads, *block_.writes))};
    if (!meet(memory_use(loop_.body).reads, written_))
      return Refusal{"no_consumer", fmt::format("nothing under loop {} reads what block {} writes",
                                                loop_.var.name(), block_.name)};
    return std::nullopt;
  }

  std::size_t first_consumer() const {
    const std::vector<Stmt> statements = statements_of(loop_.body);
    std::size_t first = 0;
    while (!meet(memory_use(statements[first]).reads, written_)) ++first;
    return first;
  }

  /// The values of the iterators that compute what is read under the loop in one iteration.
  IteratorValues needed_values() const {
    std::optional<IteratorValues> all;
    for (const arith::Touched& read : arith::accesses_of(written_, sharing_body(), facts_).reads) {
      if (!written_.contains(read.region.buffer->data)) continue;
      const IteratorValues values = values_for(read.region);
      if (all)
        unite(*all, values, facts_);
      else
        all = values;
    }
    // Reads that are proved never to happen need nothing: any part will do, and the whole is one.
    return all.value_or(IteratorValues(block_.iterators.size()));
  }

  /// What reads the result of one run of the block under the loop: its body, and where the threads of loops
  /// around share the memory, what all of them do there.
  Stmt sharing_body() const {
    const bool of_block_of_threads = std::all_of(
        block_.writes->begin(), block_.writes->end(),
        [](const BufferRegion& region) { return scope_rank(region.buffer->scope) == ScopeRank::block; });
    Stmt body = loop_.body;
    if (!of_block_of_threads) return body;
    for (std::size_t i = places_.loop.size(); i-- > 0;) {
      const auto* loop = places_.loop[i].as<For>();
      if (loop == nullptr || loop->kind != ForKind::thread_binding || !loop->thread.starts_with("threadIdx."))
        continue;
      For around = *loop;
      around.body = body;
      body = around;
    }
    return body;
  }

  IteratorValues values_for(const BufferRegion& read) const {
    for (const BufferRegion& write : *block_.writes)
      if (write.buffer == read.buffer) return values_reaching(block_, write, read, Reach::some, facts_);
    return IteratorValues(block_.iterators.size());  // by another view: all of it may be meant
  }

  /// What the block may compute at the loop: nothing that it did not compute before with the same inputs.
  Result<IteratorValues> allowed_values(const IteratorValues& needed, Context& context) {
    const Buffer space = iteration_space(block_);
    const BufferRegion whole = whole_space(space, block_);
    const Executed before = executed(f_, places_.block, places_.common, space);
    const auto covers = [&](const Executed& values, const BufferRegion& box) {
      return values.exact && arith::contains(values.box, box, facts_) == arith::Proof::proved;
    };
    IteratorValues anything(block_.iterators.size());
    if (covers(before, whole)) return anything;
    const BufferRegion box = box_of(needed, block_, space, facts_);
    if (covers(before, box)) {
      for (std::size_t i = 0; i < anything.size(); ++i) anything[i] = bounds_of(before.box.region[i], facts_);
      return anything;
    }
    if (reduces_inside(before) && inputs_never_change() &&
        covers(executed(f_, places_.block, places_.scope, space), whole))
      return anything;
    // Where a condition mixes iterators, as the tail of a split that rfactor took apart does, the values that
    // ran are no box: those of the whole that fulfil it ran, and the block goes on to run where it holds.
    // That they are the same ones in every iteration of the loops around both places matters: else one might
    // read what only an earlier one had computed.
    if (auto mixed = executed_where(f_, places_.block, places_.common, space);
        mixed && covers(mixed->values, whole) && !follow_common_loops(mixed->conditions)) {
      where_ = std::move(mixed->conditions);
      return anything;
    }
    ARDEA_TRY(context.judge(Refusal{
        "not_computed_before",
        fmt::format("loop {} needs the values {} of the iterators of block {}, and it is not proved that all "
                    "of them run in its own place",
                    loop_.var.name(), print(box), block_.name)}));
    return anything;
  }

  /// Whether a condition changes from one iteration of the loops around both places to the next.
  bool follow_common_loops(const std::vector<Expr>& conditions) const {
    for (std::size_t i = places_.scope; i < places_.common; ++i) {
      const auto* loop = places_.block[i].as<For>();
      const auto* let = places_.block[i].as<LetStmt>();
      for (const Expr& condition : conditions)
        if ((loop != nullptr && uses(condition, loop->var)) || (let != nullptr && uses(condition, let->var)))
          return true;
    }
    return false;
  }

  /// Whether one iteration of the common loops runs whole reductions: else consumers see parts of them.
  bool reduces_inside(const Executed& before) const {
    if (!before.exact) return false;
    for (std::size_t i = 0; i < block_.iterators.size(); ++i) {
      const BlockIterator& iterator = block_.iterators[i];
      if (iterator.kind != IteratorKind::reduce) continue;
      const BufferRegion runs{before.box.buffer, {before.box.region[i]}};
      const BufferRegion all{before.box.buffer, {iterator.domain}};
      if (arith::contains(runs, all, facts_) != arith::Proof::proved) return false;
    }
    return true;
  }

  /// Whether nothing in the loops around both places writes what the block reads: then each of its elements
  /// has one value, in whatever iteration it is computed.
  bool inputs_never_change() const {
    for (std::size_t i = places_.scope; i < places_.common; ++i)
      if (places_.block[i].is<For>())
        return !meet(use_of({places_.block[i]}, block_.id).writes, memory_of(*block_.reads));
    return true;
  }

  const Function& f_;
  const ComputeAt& step_;
  const Places places_;
  const Block& block_;
  const For& loop_;
  const Memory written_;
  Analyzer facts_;
  std::vector<Expr> where_;  ///< over the block's iterators: what ran before fulfils them
};

}  // namespace

Outcome apply(const Function& f, const ComputeAt& step, Context& context) {
  if (step.loop.place == LoopRef::Place::inlined) return apply(f, ComputeInline{step.block}, context);
  if (step.loop.place == LoopRef::Place::root) {
    Outcome outcome = apply(f, ComputeRoot{step.block}, context);
    const auto* refusal = std::get_if<Refusal>(&outcome);
    return refusal != nullptr && refusal->code == "already_there" ? Applied{f} : outcome;
  }
  Places found = ARDEA_TRY(places_of(f, step.block, step.loop));
  Outcome outcome = ComputingAt(f, step, std::move(found)).run(context);
  auto* refusal = std::get_if<Refusal>(&outcome);
  if (refusal != nullptr && refusal->code != "no_such_position")
    refusal->way_out = [f, block = step.block, judging = std::shared_ptr<const Context>(context.clone())] {
      return legal_loops_text(f, block, *judging);
    };
  return outcome;
}

}  // namespace ardea::schedule
