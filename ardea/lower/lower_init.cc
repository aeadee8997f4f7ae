#include "ardea/arith/regions.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/passes.h"

namespace ardea::lower {

namespace {

/// True in the instances that run the init.
Expr at_first_values(const Block& block) {
  Expr condition;
  for (const BlockIterator& iterator : block.iterators) {
    if (iterator.kind != IteratorKind::reduce) continue;
    const Expr first = equals(iterator.var, make_cast(iterator.var.type(), iterator.domain.min));
    condition = condition.defined() ? logical_and(condition, first) : first;
  }
  return condition;
}

bool has_init(const Stmt& s) {
  bool found = false;
  visit_stmts(s, [&](const Stmt& x) {
    const auto* block = x.as<Block>();
    found = found || (block != nullptr && block->init.defined());
  });
  return found;
}

Stmt without_inits(const Stmt& s) {
  const Stmt inner = map_children(s, Mapper{.stmt = without_inits});
  const auto* block = inner.as<Block>();
  if (block == nullptr || !has_init(s)) return inner;
  Block out = *block;
  if (block->init.defined()) {
    const Expr condition = at_first_values(*block);
    out.init = {};
    out.body = make_seq({condition.defined() ? make_if(condition, block->init) : block->init, block->body});
  }
  // A block with an init does not declare that it reads what it updates; one without must, and so must those
  // around it.
  out.reads = std::nullopt;
  return out;
}

}  // namespace

Function lower_init(const Function& f, const target::Target&) {
  Function out = f;
  out.body = without_inits(f.body);
  return arith::complete_regions(out);
}

}  // namespace ardea::lower
