#include "ardea/schedule/primitives/memory/added_blocks.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/arith/allocation_site.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/analysis/placed_nest.h"
#include "ardea/schedule/program/removal.h"

namespace ardea::schedule {

Block block_over(const std::string& name, const std::vector<Expr>& shape,
                 const std::function<Stmt(const std::vector<Expr>&)>& body) {
  Block block{.name = name};
  std::vector<Expr> indices;
  for (const Expr& extent : shape) {
    const Var var(fmt::format("v{}", indices.size()));
    block.iterators.push_back({var, {make_int(0), arith::as_index(extent)}, IteratorKind::spatial, var});
    indices.push_back(var);
  }
  block.body = body(indices);
  return block;
}

Stmt whole_nest(const Block& block, const arith::Analyzer& facts, const Context& context,
                const Expr& condition) {
  const IteratorValues all(block.iterators.size());
  const Stmt nest = placed_nest(block, {all, all, {}, context.keeps_unit_loops()}, {}, facts);
  if (!condition.defined()) return nest;
  Rewriter rewriter;
  rewriter.stmt = [&](const Stmt& s) -> std::optional<Stmt> {
    const auto* inner = s.as<Block>();
    if (inner == nullptr) return std::nullopt;
    Block out = *inner;
    Substitution bindings;
    for (const BlockIterator& iterator : out.iterators) bindings[iterator.var] = iterator.binding;
    out.predicate = facts.simplify(substitute(condition, bindings));
    return out;
  };
  return rewrite(nest, rewriter);
}

Function around_touches(const Function& f, const BlockRef& owner, const Var& data, const Stmt& before,
                        const Stmt& after) {
  const Path path = *path_to(f, owner);
  Block block = path.block();
  std::vector<Stmt> statements = statements_of(block.body);
  const auto touches_it = [&](const Stmt& s) { return arith::touches(s, data); };
  if (after.defined()) {
    const auto last = std::find_if(statements.rbegin(), statements.rend(), touches_it);
    statements.insert(last.base(), after);
  }
  if (before.defined())
    statements.insert(std::find_if(statements.begin(), statements.end(), touches_it), before);
  block.body = make_seq(std::move(statements));
  return with(f, path, block);
}

Function with_in_sequence(const Function& f, const Path& path, std::vector<Stmt> statements) {
  const auto* around = path.size() > 1 ? path[path.size() - 2].as<Seq>() : nullptr;
  if (around == nullptr) return with(f, path, make_seq(std::move(statements)));
  std::vector<Stmt> all;
  for (const Stmt& s : around->statements)
    if (s == path.back())
      all.insert(all.end(), statements.begin(), statements.end());
    else
      all.push_back(s);
  return with(f, path.upto(path.size() - 2), make_seq(std::move(all)));
}

Function with_allocation(const Function& f, const BlockRef& owner, const Buffer& added,
                         const Buffer& removed) {
  const Path path = *path_to(f, owner);
  Block block = path.block();
  if (removed.defined())
    std::replace(block.allocations.begin(), block.allocations.end(), removed, added);
  else
    block.allocations.push_back(added);
  return with(f, path, block);
}

arith::Analyzer facts_for_block(const Function& f, const Path& path) {
  arith::Analyzer facts = arith::facts_of(f);
  for (std::size_t i = 0; i + 1 < path.size(); ++i)
    if (const auto* block = path[i].as<Block>()) facts = arith::facts_inside(*block, facts);
  return facts;
}

}  // namespace ardea::schedule
