#include "ardea/ir/pragmas.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/passes.h"
#include "ardea/support/error.h"

namespace ardea::lower {

namespace {

Stmt without_blocks(const Stmt& s) {
  const auto* block = s.as<Block>();
  if (block == nullptr) return map_children(s, Mapper{.stmt = without_blocks});
  ensure(!block->init.defined() && block->matches.empty() && block->allocations.empty(),
         "blocks_to_loops: block {} still has an init, a match or an allocation", block->name);
  Substitution bindings;
  for (const BlockIterator& iterator : block->iterators)
    bindings.emplace(iterator.var, make_cast(iterator.var.type(), iterator.binding));
  const Stmt body = hand_down_pragmas(block->annotations, without_blocks(substitute(block->body, bindings)));
  return is_true(block->predicate) ? body : make_if(block->predicate, body);
}

}  // namespace

Function blocks_to_loops(const Function& f, const target::Target&) {
  Function out = f;
  out.body = without_blocks(f.body);
  return out;
}

}  // namespace ardea::lower
