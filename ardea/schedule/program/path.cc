#include "ardea/schedule/program/path.h"

#include "ardea/arith/regions.h"

namespace ardea::schedule {

Path Path::upto(std::size_t depth) const {
  Path outer;
  outer.statements_.assign(begin(), begin() + static_cast<std::ptrdiff_t>(depth) + 1);
  return outer;
}

Path Path::block_around() const {
  Path outer = *this;
  do outer.pop_back();
  while (!outer.empty() && !outer.back().is<Block>());
  return outer;
}

std::vector<LoopRef> Path::loops() const {
  std::vector<LoopRef> loops;
  for (std::size_t i = block_around().size(); i + 1 < size(); ++i)
    if (const auto* loop = statements_[i].as<For>()) loops.push_back({loop->var});
  return loops;
}

std::vector<Var> Path::variables() const {
  std::vector<Var> variables;
  for (const Stmt& s : statements_) {
    if (const auto* loop = s.as<For>()) variables.push_back(loop->var);
    if (const auto* block = s.as<Block>())
      for (const BlockIterator& iterator : block->iterators) variables.push_back(iterator.var);
  }
  return variables;
}

bool Path::holds(std::size_t depth, const Path& other) const {
  return depth < other.size() && other[depth] == statements_[depth];
}

arith::Analyzer Path::facts(const Function& f, bool unit_loops) const {
  arith::Analyzer facts = arith::facts_of(f);
  for (std::size_t i = 0; i + 1 < size(); ++i) {
    const Stmt& s = statements_[i];
    if (const auto* loop = s.as<For>(); loop != nullptr && (unit_loops || !is_one(loop->extent)))
      facts.bind(loop->var, {loop->min, loop->extent});
    if (const auto* let = s.as<LetStmt>()) facts.define(let->var, let->value);
    if (const auto* branch = s.as<If>()) {
      const bool then_side = statements_[i + 1] == branch->then_case;
      facts.assume(then_side ? branch->condition : logical_not(branch->condition));
    }
    if (const auto* block = s.as<Block>()) facts = arith::facts_inside(*block, facts);
  }
  return facts;
}

}  // namespace ardea::schedule
