#include "ardea/schedule/primitives/loops/iterate_by_loops.h"

#include <algorithm>
#include <set>

#include "ardea/arith/analyzer.h"
#include "ardea/arith/distances.h"
#include "ardea/arith/inside.h"
#include "ardea/arith/regions.h"
#include "ardea/ir/layout.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/program/refer.h"

namespace ardea::schedule {

namespace {

/// The loops between the block and the one around it.
std::vector<const For*> own_loops(const Path& path) {
  std::vector<const For*> loops;
  for (auto s = path.begin() + std::ssize(path.block_around()); s != path.end(); ++s)
    if (const auto* loop = s->as<For>()) loops.push_back(loop);
  return loops;
}

std::optional<Refusal> refuse_bounds(const std::vector<const For*>& loops) {
  for (const For* loop : loops) {
    const bool depends = std::any_of(loops.begin(), loops.end(), [&](const For* other) {
      return uses(loop->min, other->var) || uses(loop->extent, other->var);
    });
    if (depends || !is_zero(loop->min))
      return Refusal{"bounds_depend",
                     fmt::format("loop {} runs from {}, {} times; its iterations would be no iterator's",
                                 loop->var.name(), print(loop->min), print(loop->extent))};
  }
  return std::nullopt;
}

bool is_size(const Function& f, const Var& var) {
  return std::any_of(f.parameters.begin(), f.parameters.end(),
                     [&](const ardea::Parameter& p) { return !p.buffer.defined() && p.var == var; });
}

/// What the iterators that the loop moves are.
Result<IteratorKind> kind_of(const For& loop, const Block& block) {
  std::set<IteratorKind> kinds;
  for (const BlockIterator& iterator : block.iterators)
    if (uses(iterator.binding, loop.var)) kinds.insert(iterator.kind);
  if (kinds.size() > 1)
    return Refusal{"loop_feeds_both",
                   fmt::format("loop {} moves iterators of block {} that make elements and "
                               "ones that do not, and an iterator is one or the other",
                               loop.var.name(), block.name)};
  if (kinds.empty() && constant_int(loop.extent) != 1)
    return Refusal{"loop_is_idle",
                   fmt::format("loop {} moves no iterator of block {}, so that its instances repeat",
                               loop.var.name(), block.name)};
  return kinds.empty() ? IteratorKind::spatial : *kinds.begin();
}

/// One of its loops alone can be asked inside of the block, and only of a block that does nothing elsewhere.
std::optional<Refusal> refuse_condition(const Function& f, const Block& block, const Substitution& by_loop) {
  if (!block.predicate.defined()) return std::nullopt;
  const std::vector<Var> used = free_variables(block.predicate);
  const bool is_of_loops = std::all_of(
      used.begin(), used.end(), [&](const Var& var) { return by_loop.contains(var) || is_size(f, var); });
  if (!block.init.defined() && is_of_loops && !arith::reads_memory(block.predicate)) return std::nullopt;
  return Refusal{"block_is_guarded", fmt::format("block {} runs only where {}, which is not all of its loops",
                                                 block.name, print(block.predicate))};
}

/// Where a condition leaves one iteration of a loop, what it does is a matter of numbers: nothing in the
/// block says any more that the loop is its iterator.
std::optional<Refusal> refuse_single_iteration(const Block& block, const Expr& condition,
                                               const std::vector<BlockIterator>& iterators,
                                               const arith::Analyzer& facts) {
  arith::Analyzer inside = facts;
  inside.assume(condition);
  for (const BlockIterator& iterator : iterators)
    if (constant_int(iterator.domain.extent) != 1 && constant_int(inside.simplify(iterator.var)))
      return Refusal{"block_is_guarded",
                     fmt::format("block {} runs only where {}, which is one iteration of loop {}", block.name,
                                 print(block.predicate), print(iterator.binding))};
  return std::nullopt;
}

/// Iterators that make elements make each of them once. What computes the halo of each tile does not.
std::optional<Refusal> refuse_repetition(const std::vector<const For*>& loops, const Block& block,
                                         const arith::Analyzer& facts) {
  std::vector<Expr> made;
  for (const BlockIterator& iterator : block.iterators)
    if (iterator.kind == IteratorKind::spatial) made.push_back(as_index(iterator.binding));
  std::vector<arith::LoopRange> moving;
  for (const For* loop : loops)
    if (std::any_of(made.begin(), made.end(), [&](const Expr& value) { return uses(value, loop->var); }))
      moving.emplace_back(loop->var, Range{loop->min, loop->extent});
  if (moving.empty() || arith::tell_apart(made, moving, {}, facts)) return std::nullopt;
  return Refusal{
      "instances_repeat",
      fmt::format("it is not proved that each iteration of the loops of block {} makes elements of "
                  "its own; compute it at a loop outside of those that repeat it",
                  block.name)};
}

}  // namespace

Outcome apply(const Function& f, const IterateByLoops& step, Context&) {
  const Path path = ARDEA_TRY(refer(f, step.block));
  if (path.size() == 1)
    return Refusal{"root_block", "the root block holds the whole program and stands in no loop"};
  Block block = path.block();
  const std::vector<const For*> loops = own_loops(path);
  if (loops.empty())
    return Refusal{"no_loops", fmt::format("block {} stands in no loop of its own", block.name)};
  ARDEA_TRY(refuse_bounds(loops));
  Substitution by_loop;
  std::vector<BlockIterator> iterators;
  for (const For* loop : loops) {
    const IteratorKind kind = ARDEA_TRY(kind_of(*loop, block));
    const Var var("v_" + loop->var.name());
    iterators.push_back({var, {make_int(0), as_index(loop->extent)}, kind, as_index(loop->var)});
    by_loop[loop->var] = make_cast(loop->var.type(), var);
  }
  ARDEA_TRY(refuse_condition(f, block, by_loop));
  Substitution values;
  for (const BlockIterator& iterator : block.iterators) {
    const Expr value = substitute(iterator.binding, by_loop);
    for (const Var& var : free_variables(iterator.binding))
      if (!by_loop.contains(var) && !is_size(f, var))
        return Refusal{"binds_something_else",
                       fmt::format("iterator {} of block {} is {}, which is more than its loops say",
                                   iterator.var.name(), block.name, print(iterator.binding))};
    values[iterator.var] = make_cast(iterator.var.type(), value);
  }
  arith::Analyzer facts = path.facts(f);
  ARDEA_TRY(refuse_repetition(loops, block, facts));
  // One of a single value keeps its place in the indices, which say what dimension is whose.
  for (const BlockIterator& iterator : iterators)
    facts.bind(iterator.var,
               constant_int(iterator.domain.extent) == 1 ? Range{make_int(0), make_int(2)} : iterator.domain);
  if (block.predicate.defined()) {
    const Expr condition = substitute(block.predicate, by_loop);
    ARDEA_TRY(refuse_single_iteration(block, condition, iterators, facts));
    block.body = If{condition, block.body};
    block.predicate = {};
  }
  block.iterators.clear();
  const Stmt counted = substitute(Stmt(std::move(block)), values);
  block = *counted.as<Block>();
  block.iterators = std::move(iterators);
  if (block.init.defined()) block.init = arith::simplify(block.init, facts);
  block.body = arith::simplify(block.body, facts);
  for (auto* regions : {&block.reads, &block.writes})
    if (*regions)
      for (BufferRegion& region : **regions)
        for (Range& range : region.region) {
          range.min = facts.simplify(range.min);
          range.extent = facts.simplify(range.extent);
        }
  return Applied{with(f, path, block), {}};
}

}  // namespace ardea::schedule
