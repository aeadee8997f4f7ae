#include "ardea/schedule/primitives/tensor/store_nest.h"

#include <fmt/core.h>

#include "ardea/arith/regions_conditions.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"

namespace ardea::schedule {

Result<StoreNest> store_nest(const Stmt& s, const arith::Analyzer& facts, Context& context) {
  StoreNest nest;
  Substitution values;
  arith::Analyzer inside = facts;
  for (Stmt at = s;;) {
    if (const auto* loop = at.as<For>()) {
      nest.loops.push_back(*loop);
      nest.loops.back().min = substitute(loop->min, values);
      nest.loops.back().extent = substitute(loop->extent, values);
      inside.bind(loop->var, {nest.loops.back().min, nest.loops.back().extent});
      at = loop->body;
    } else if (const auto* block = at.as<Block>()) {
      if (block->init.defined())
        return Refusal{
            "init_inside",
            fmt::format("block {} has an init among the loops, which no instruction does", block->name),
            {},
            [] { return std::string("take it out by decompose_reduction, or blockize the nest"); }};
      if (!block->matches.empty() || !block->allocations.empty())
        return Refusal{"not_one_store", fmt::format("block {} has buffers of its own", block->name)};
      for (const Expr& condition : arith::conjuncts(block->predicate))
        ARDEA_TRY(context.require(inside, substitute(condition, values), [&] {
          return Refusal{"condition_inside",
                         fmt::format("block {} runs only where {}", block->name, print(condition))};
        }));
      Substitution bindings;
      for (const BlockIterator& iterator : block->iterators)
        bindings[iterator.var] = make_cast(iterator.var.type(), substitute(iterator.binding, values));
      values.insert(bindings.begin(), bindings.end());
      at = block->body;
    } else if (const auto* store = at.as<Store>()) {
      nest.store = *substitute(Stmt(*store), values).as<Store>();
      return nest;
    } else {
      return Refusal{"not_one_store", "what the nest does is not one store"};
    }
  }
}

}  // namespace ardea::schedule
