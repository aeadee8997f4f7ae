#include "ardea/schedule/analysis/reduction_nest.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/arith/iter_map.h"
#include "ardea/arith/regions_conditions.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/program/both_hold.h"
#include "ardea/schedule/program/scope.h"
#include "ardea/schedule/program/touches.h"

namespace ardea::schedule {

namespace {

using arith::Analyzer;
using arith::as_index;

std::optional<Refusal> refuse_block(const Block& block) {
  if (!block.init.defined())
    return Refusal{"not_a_reduction", fmt::format("block {} has no init", block.name)};
  for (const BlockIterator& iterator : block.iterators)
    if (iterator.kind == IteratorKind::ordered || iterator.kind == IteratorKind::opaque)
      return Refusal{"not_a_reduction",
                     fmt::format("block {} has the iterator {}, which neither is spatial nor reduces",
                                 block.name, iterator.var.name())};
  return std::nullopt;
}

/// The first loop around the block that feeds one of its reduce iterators.
const For* outermost_reducing(const ReductionNest& nest) {
  for (std::size_t i = nest.path.block_around().size(); i < nest.path.size(); ++i)
    if (const auto* loop = nest.path[i].as<For>(); loop != nullptr && nest.feeds(*loop, IteratorKind::reduce))
      return loop;
  return nullptr;
}

std::optional<Refusal> refuse_reduction_outside(const ReductionNest& nest) {
  const Block& block = nest.block();
  for (std::size_t i = nest.path.block_around().size(); i < nest.first; ++i) {
    const auto* loop = nest.path[i].as<For>();
    if (loop == nullptr || !nest.feeds(*loop, IteratorKind::reduce)) continue;
    const std::string outermost = outermost_reducing(nest)->var.name();
    return Refusal{
        "reduce_loop_outside",
        fmt::format("loop {} outside feeds a reduce iterator of block {}", loop->var.name(), block.name),
        {},
        [=] { return fmt::format("loop {} holds the whole reduction", outermost); }};
  }
  return std::nullopt;
}

std::optional<Refusal> refuse_loops(const ReductionNest& nest) {
  const Block& block = nest.block();
  for (const For* loop : nest.loops) {
    if (nest.feeds(*loop, IteratorKind::spatial) && nest.feeds(*loop, IteratorKind::reduce))
      return Refusal{
          "loop_feeds_both",
          fmt::format("loop {} feeds spatial and reduce iterators of block {}", loop->var.name(), block.name),
          {},
          [] { return std::string("do this before the loops are fused"); }};
    for (const For* other : nest.loops)
      if (uses(loop->min, other->var) || uses(loop->extent, other->var))
        return Refusal{"bounds_depend", fmt::format("the bounds of loop {} depend on loop {}",
                                                    loop->var.name(), other->var.name())};
  }
  return std::nullopt;
}

/// The conditions from the outermost of the loops down to the block.
std::optional<Refusal> collect_conditions(ReductionNest& nest, Conditions conditions) {
  for (std::size_t i = nest.first; i + 1 < nest.path.size(); ++i) {
    const Stmt& s = nest.path[i];
    if (const auto* branch = s.as<If>()) {
      const bool then_side = nest.path[i + 1] == branch->then_case;
      for (const Expr& part :
           then_side ? arith::conjuncts(branch->condition) : arith::conjuncts_of_negation(branch->condition))
        nest.conditions.push_back(part);
    } else if (!s.is<For>() && !s.is<Seq>()) {
      return Refusal{"something_between",
                     fmt::format("a let or a declaration stands between loop {} and block {}",
                                 nest.loops[0]->var.name(), nest.block().name)};
    }
  }
  for (const Expr& part : arith::conjuncts(nest.block().predicate)) nest.conditions.push_back(part);
  for (const Expr& condition : nest.conditions) {
    const bool mixes = conditions == Conditions::apart && nest.is_about_reduction(condition) &&
                       std::any_of(nest.loops.begin(), nest.loops.end(), [&](const For* loop) {
                         return nest.feeds(*loop, IteratorKind::spatial) && uses(condition, loop->var);
                       });
    if (mixes || !loaded_buffers(condition).empty())
      return Refusal{"condition_mixes",
                     fmt::format("block {} runs where {}, which is {}", nest.block().name, print(condition),
                                 mixes ? "about spatial and reduce loops together" : "read from memory")};
  }
  return std::nullopt;
}

/// Whether different iterations of the loops run different instances of the block.
bool run_each_once(const ReductionNest& nest, const std::vector<const For*>& loops) {
  std::vector<Expr> bindings;
  for (const BlockIterator& iterator : nest.block().iterators) bindings.push_back(iterator.binding);
  std::vector<std::pair<Var, Range>> ranges;
  Analyzer inside = nest.facts;
  for (const For* loop : nest.loops) inside.bind(loop->var, {loop->min, loop->extent});
  for (const Expr& condition : nest.conditions) inside.assume(condition);
  // A loop of which one iteration counts repeats nothing, whatever is bound to it.
  Substitution units;
  for (const For* loop : loops) {
    if (inside.proves(as_index(loop->var) <= as_index(loop->min)))
      units[loop->var] = loop->min;
    else
      ranges.emplace_back(loop->var, Range{loop->min, loop->extent});
  }
  Expr predicate;
  for (const Expr& condition : nest.conditions)
    predicate = both_hold(predicate, substitute(condition, units));
  for (Expr& binding : bindings) binding = substitute(binding, units);
  const auto map = arith::iter_map(bindings, ranges, predicate, nest.facts);
  return map && map->injective;
}

std::optional<Refusal> refuse_repeats(const ReductionNest& nest) {
  if (run_each_once(nest, nest.loops)) return std::nullopt;
  // Of (io * 32 + ii) // 7 and its remainder neither is a number of ii alone: what holds of all loops
  // together holds of those inside.
  std::vector<const For*> all;
  for (std::size_t i = nest.path.block_around().size(); i < nest.path.size(); ++i)
    if (const auto* loop = nest.path[i].as<For>()) all.push_back(loop);
  if (run_each_once(nest, all)) return std::nullopt;
  return Refusal{
      "instances_repeat",
      fmt::format("it is not proved that the loops from {} inwards run each instance of block {} once",
                  nest.loops[0]->var.name(), nest.block().name)};
}

/// At the first iteration of the loops that reduce, each reduce iterator must be at the start of its domain:
/// the init happens there, and what came before it would be lost. Of a part of a reduction that is asked of
/// the loops outside; where they do not say so, no later iteration may come to the start.
std::optional<Refusal> refuse_late_start(ReductionNest& nest, Context& context, Share share) {
  const Analyzer facts = nest.facts_of_spatial_loops();
  const auto not_first = [&](const std::string& why) {
    return Refusal{"start_is_not_first",
                   fmt::format("the init of block {} does not run in the first iteration "
                               "of its reduction: {}",
                               nest.block().name, why)};
  };
  // Where nothing reduces, each instance runs the init: after rfactor a sum may have one term.
  if (share == Share::part) nest.begins = make_bool(true);
  Substitution start;
  for (const For* loop : nest.loops) {
    // One that feeds nothing, because one iteration of it counts, has none where there is nothing to reduce.
    if (nest.feeds(*loop, IteratorKind::spatial)) continue;
    if (nest.feeds(*loop, IteratorKind::reduce)) start[loop->var] = loop->min;
    ARDEA_TRY(context.require(facts, as_index(loop->extent) >= make_int(1), [&] {
      return not_first(fmt::format("loop {} may have none", loop->var.name()));
    }));
  }
  for (const BlockIterator& iterator : nest.block().iterators) {
    if (iterator.kind != IteratorKind::reduce) continue;
    const Expr first = substitute(iterator.binding, start);
    if (share == Share::part) {
      nest.begins = both_hold(nest.begins, equals(as_index(first), as_index(iterator.domain.min)));
      Analyzer inside = facts;
      for (const For* loop : nest.loops)
        if (start.contains(loop->var)) inside.bind(loop->var, {loop->min, loop->extent});
      ARDEA_TRY(context.require(inside, as_index(iterator.binding) >= as_index(first), [&] {
        return not_first(fmt::format("{} may become less later", iterator.var.name()));
      }));
      continue;
    }
    ARDEA_TRY(context.require(facts, equals(as_index(first), as_index(iterator.domain.min)), [&] {
      return not_first(fmt::format("{} is {} there", iterator.var.name(), print(facts.simplify(first))));
    }));
  }
  for (const Expr& condition : nest.conditions)
    if (nest.is_about_reduction(condition))
      ARDEA_TRY(context.require(facts, substitute(condition, start), [&] {
        return not_first(fmt::format("{} is false there", print(condition)));
      }));
  return std::nullopt;
}

}  // namespace

bool ReductionNest::feeds(const For& loop, IteratorKind kind) const {
  const std::vector<BlockIterator>& all = block().iterators;
  return std::any_of(all.begin(), all.end(), [&](const BlockIterator& iterator) {
    return iterator.kind == kind && uses(iterator.binding, loop.var);
  });
}

bool ReductionNest::is_about_reduction(const Expr& condition) const {
  return std::any_of(loops.begin(), loops.end(), [&](const For* loop) {
    return feeds(*loop, IteratorKind::reduce) && uses(condition, loop->var);
  });
}

Analyzer ReductionNest::facts_of_spatial_loops() const {
  Analyzer known = facts;
  for (const For* loop : loops)
    if (feeds(*loop, IteratorKind::spatial)) known.bind(loop->var, {loop->min, loop->extent});
  for (const Expr& condition : conditions)
    if (!is_about_reduction(condition)) known.assume(condition);
  return known;
}

std::size_t nest_begin(const Path& path) {
  std::size_t first = path.size() - 1;
  while (first > 0 && path[first - 1].is<For>()) --first;
  return first;
}

Result<Reducer> reducer_of(const ReductionNest& nest) {
  if (!nest.block().matches.empty() || !nest.block().allocations.empty())
    return Refusal{"has_own_buffers",
                   fmt::format("block {} allocates or matches buffers of its own", nest.block().name)};
  auto reducer = Reducer::of(nest.block());
  if (!reducer)
    return Refusal{"not_a_reducer",
                   fmt::format("the body of block {} is not known to be a commutative and associative update",
                               nest.block().name)};
  return *std::move(reducer);
}

Result<ReductionNest> reduction_nest(const Function& f, const Path& path, std::size_t first, Context& context,
                                     Share share, Conditions conditions) {
  ReductionNest nest{path, first, {}, {}, {}};
  nest.facts = nest.outside().facts(f);
  for (std::size_t i = first; i + 1 < path.size(); ++i)
    if (const auto* loop = path[i].as<For>()) nest.loops.push_back(loop);
  ARDEA_TRY(refuse_block(nest.block()));
  if (share == Share::whole) ARDEA_TRY(refuse_reduction_outside(nest));
  ARDEA_TRY(refuse_loops(nest));
  ARDEA_TRY(collect_conditions(nest, conditions));
  ARDEA_TRY(refuse_late_start(nest, context, share));
  ARDEA_TRY(context.judge(refuse_repeats(nest)));
  return nest;
}

std::string free_block_name(const Function& f, const std::string& wanted) {
  const std::vector<Path> blocks = all_blocks(f);
  std::string name = wanted;
  for (int i = 1;
       std::any_of(blocks.begin(), blocks.end(), [&](const Path& path) { return path.block().name == name; });
       ++i)
    name = fmt::format("{}_{}", wanted, i);
  return name;
}

}  // namespace ardea::schedule
