#include "ardea/schedule/primitives/reduce/decompose_reduction.h"

#include <algorithm>

#include "ardea/arith/regions.h"
#include "ardea/arith/verify_laws.h"
#include "ardea/ir/in_loops.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/analysis/reduction_nest.h"
#include "ardea/schedule/program/both_hold.h"
#include "ardea/schedule/program/refer.h"
#include "ardea/schedule/program/scope.h"
#include "ardea/schedule/program/touches.h"

namespace ardea::schedule {

namespace {

using arith::Analyzer;

/// Every iteration of the loops around in which an instance of the new init runs also runs the instance of
/// the block that had it: loops that the init does not run in have an iteration, and conditions that it
/// leaves out hold in the first (reduction_nest.h). So no iteration touches more than it did, and loops
/// around that run at the same time still may.
class Decomposition {
 public:
  Decomposition(const Function& f, const ReductionNest& nest) : f_(f), nest_(nest) {}

  Outcome run() const {
    ARDEA_TRY(refuse_init());
    ARDEA_TRY(refuse_other_touches());
    const Block init = init_block();
    Function program = with(f_, nest_.outside(), make_seq({init_nest(init), update_nest()}));
    return Applied{arith::complete_regions(program), {BlockRef{init.id}}};
  }

 private:
  const Block& block() const { return nest_.block(); }

  /// The buffers that the init writes, or reads.
  std::vector<Buffer> of_init(bool written) const {
    std::vector<Buffer> found;
    for (const arith::Access& access : arith::each_access(block(), nest_.facts)) {
      const Buffer& buffer = access.each.buffer;
      if (access.in_init && access.write == written &&
          std::find(found.begin(), found.end(), buffer) == found.end())
        found.push_back(buffer);
    }
    return found;
  }

  /// What else in the loop touches the memory of the buffer.
  std::vector<Touch> others(const Buffer& buffer) const {
    std::vector<Touch> found = touches(nest_.path.block_around(), buffer);
    std::erase_if(found, [&](const Touch& touch) {
      const bool inside =
          touch.path.size() > nest_.first && touch.path[nest_.first] == nest_.path[nest_.first];
      const bool own = std::find(touch.path.begin(), touch.path.end(), nest_.path.back()) != touch.path.end();
      return !inside || own;
    });
    return found;
  }

  std::optional<Refusal> refuse_init() const {
    const std::vector<Buffer> used = buffers_in(block().init);
    for (const Buffer& buffer : used) {
      const auto same = [&](const Buffer& own) { return own->data == buffer->data; };
      const std::vector<Buffer>& allocated = block().allocations;
      if (std::any_of(allocated.begin(), allocated.end(), same) ||
          std::any_of(block().matches.begin(), block().matches.end(),
                      [&](const MatchBuffer& match) { return same(match.buffer); }))
        return Refusal{"init_uses_own_buffers",
                       fmt::format("the init of block {} uses {}, which is the block's own", block().name,
                                   buffer->name)};
    }
    for (const Buffer& input : of_init(false))
      for (const Touch& touch : others(input))
        if (touch.writes)
          return Refusal{
              "init_input_changes",
              fmt::format("{}, which the init of block {} reads, is written inside loop {}: {}", input->name,
                          block().name, nest_.loops[0]->var.name(), arith::brief(touch.path.back()))};
    return std::nullopt;
  }

  std::optional<Refusal> refuse_other_touches() const {
    for (const Buffer& output : of_init(true))
      for (const Touch& touch : others(output))
        if (!touch.plain || !comes_after_start(touch, output))
          return Refusal{"output_is_touched",
                         fmt::format("{}, which block {} reduces into, may be touched inside loop {} before "
                                     "its reduction begins: {}",
                                     output->name, block().name, nest_.loops[0]->var.name(),
                                     arith::brief(touch.path.back())),
                         {},
                         [name = inner_loop(touch)] {
                           return name.empty() ? "" : fmt::format("loop {} stands inside of that", name);
                         }};
    return std::nullopt;
  }

  /// Whether the touch comes after the block in each round of the loops around both, and only at elements
  /// that the block touches in that round.
  bool comes_after_start(const Touch& touch, const Buffer& output) const {
    if (!stands_before(nest_.path, touch.path)) return false;
    const std::size_t at = parting(nest_.path, touch.path);
    const Path round = nest_.path.upto(at);
    const Analyzer facts = round.facts(f_);
    std::optional<arith::Touched> reduced;
    const std::vector<arith::Access> all = arith::each_access(round.back(), facts);
    for (const arith::Access& access : all)
      if (access.write && access.statement == nest_.path.back() && access.each.buffer == output)
        reduced = access.touched();
    return reduced && reduced->exact && std::all_of(all.begin(), all.end(), [&](const arith::Access& access) {
             return !(access.each.buffer->data == output->data) ||
                    contains(reduced->region, access.touched().region, facts) == arith::Proof::proved;
           });
  }

  /// The outermost loop of the reduction that does not hold the touch.
  std::string inner_loop(const Touch& touch) const {
    for (std::size_t i = parting(nest_.path, touch.path); i + 1 < nest_.path.size(); ++i)
      if (const auto* loop = nest_.path[i].as<For>()) return loop->var.name();
    return "";
  }

  // --- what comes of it ---

  /// The init over the spatial iterators, bound to loops that are copied later.
  Block init_block() const {
    Block init{.name = free_block_name(f_, block().name + "_init"), .annotations = block().annotations};
    Substitution iterators;
    for (const BlockIterator& iterator : block().iterators) {
      if (iterator.kind == IteratorKind::reduce) {
        iterators[iterator.var] = make_cast(iterator.var.type(), iterator.domain.min);
        continue;
      }
      init.iterators.push_back(iterator);
      init.iterators.back().var = Var(iterator.var.name(), iterator.var.type());
      iterators[iterator.var] = init.iterators.back().var;
    }
    for (const Expr& condition : nest_.conditions)
      if (!nest_.is_about_reduction(condition)) init.predicate = both_hold(init.predicate, condition);
    init.body = fresh_copy(substitute(block().init, iterators));
    return init;
  }

  Stmt init_nest(const Block& init) const {
    Substitution loops;
    std::vector<For> copies;
    for (const For* loop : nest_.loops) {
      if (!nest_.feeds(*loop, IteratorKind::spatial)) {
        loops[loop->var] = loop->min;  // one iteration, or not used
        continue;
      }
      copies.push_back(*loop);
      copies.back().var = Var(loop->var.name() + "_init", loop->var.type());
      loops[loop->var] = copies.back().var;
    }
    Block bound = init;
    for (BlockIterator& iterator : bound.iterators) iterator.binding = substitute(iterator.binding, loops);
    if (bound.predicate.defined()) bound.predicate = substitute(bound.predicate, loops);
    return in_loops(std::move(copies), std::move(bound));
  }

  Stmt update_nest() const {
    Block update = block();
    update.name = free_block_name(f_, block().name + "_update");
    update.init = {};
    update.reads.reset();
    const Stmt old = nest_.path.back();
    Rewriter rewriter;
    rewriter.stmt = [&](const Stmt& s) { return s == old ? std::optional<Stmt>(update) : std::nullopt; };
    return rewrite(nest_.path[nest_.first], rewriter);
  }

  const Function& f_;
  const ReductionNest& nest_;
};

/// A block around one that now reads its output back reads it, too.
Function with_reads_around(const Function& f, const Path& path) {
  std::vector<BlockId> around;
  for (std::size_t i = 1; i + 1 < path.size(); ++i)
    if (const auto* block = path[i].as<Block>()) around.push_back(block->id);
  if (around.empty()) return f;
  Function out = f;
  Rewriter rewriter;
  rewriter.stmt_after = [&](const Stmt& s) -> Stmt {
    const auto* block = s.as<Block>();
    if (block == nullptr || std::find(around.begin(), around.end(), block->id) == around.end()) return s;
    Block open = *block;
    open.reads.reset();
    return open;
  };
  out.body = rewrite(f.body, rewriter);
  return arith::complete_regions(out);
}

}  // namespace

Outcome apply(const Function& f, const DecomposeReduction& step, Context& context) {
  Path found = ARDEA_TRY(refer(f, step.block));
  Path loop = ARDEA_TRY(refer(f, step.loop));
  const Path& path = found;
  const std::vector<LoopRef> around = path.loops();
  if (std::find(around.begin(), around.end(), step.loop) == around.end())
    return Refusal{"loop_not_around", fmt::format("loop {} is none of the loops around block {}",
                                                  step.loop.var.name(), path.block().name)};
  ReductionNest nest = ARDEA_TRY(reduction_nest(f, path, loop.size() - 1, context));
  Outcome outcome = Decomposition(f, nest).run();
  auto* applied = std::get_if<Applied>(&outcome);
  if (applied == nullptr) return outcome;
  applied->program = with_reads_around(applied->program, path);
  return outcome;
}

}  // namespace ardea::schedule
