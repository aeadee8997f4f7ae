#include "ardea/schedule/analysis/inverse_index.h"

#include "ardea/arith/iter_map.h"
#include "ardea/arith/regions_linear.h"

namespace ardea::schedule {

namespace {

using arith::as_index;

/// One iterator a dimension, each once: index = v + c or c - v.
bool solve_one_by_one(const std::vector<Expr>& indices, const std::vector<BlockIterator>& iterators,
                      const std::vector<Expr>& values, const arith::Analyzer& facts, Substitution& solved) {
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const Expr index = facts.simplify(as_index(indices[d]));
    const BlockIterator* moving = nullptr;
    for (const BlockIterator& iterator : iterators) {
      if (!uses(index, iterator.var)) continue;
      if (moving != nullptr) return false;
      moving = &iterator;
    }
    if (moving == nullptr) continue;
    if (solved.contains(moving->var)) return false;
    const Expr var = as_index(moving->var), value = as_index(values[d]);
    Expr rest = facts.simplify(index - var), found;
    if (!uses(rest, moving->var)) {
      found = value - rest;
    } else {
      rest = facts.simplify(index + var);
      if (uses(rest, moving->var)) return false;
      found = rest - value;
    }
    solved[moving->var] = found;
  }
  return true;
}

}  // namespace

std::optional<Substitution> solve_for_iterators(const std::vector<Expr>& indices,
                                                const std::vector<BlockIterator>& iterators,
                                                const std::vector<Expr>& values,
                                                const arith::Analyzer& facts) {
  arith::Analyzer inside = facts;
  std::vector<std::pair<Var, Range>> ranges;
  for (const BlockIterator& iterator : iterators) {
    inside.bind(iterator.var, iterator.domain);
    ranges.emplace_back(iterator.var, iterator.domain);
  }
  Substitution solved;
  if (!solve_one_by_one(indices, iterators, values, inside, solved)) {
    solved.clear();
    const auto map = arith::iter_map(indices, ranges, {}, facts);
    if (!map || !map->injective) return std::nullopt;
    const auto inverted = arith::inverse(*map, values, ranges, facts);
    if (!inverted) return std::nullopt;
    for (const auto& [var, value] : *inverted) solved[var] = value;
  }
  for (const BlockIterator& iterator : iterators) {
    const auto at = solved.find(iterator.var);
    if (at == solved.end()) {
      if (!inside.proves(as_index(iterator.domain.extent) <= make_int(1))) return std::nullopt;
      solved[iterator.var] = make_cast(iterator.var.type(), iterator.domain.min);
    } else {
      // An index that is the iterator itself keeps its form, and so does what is computed from it.
      const Expr value = at->second.is<VarNode>() ? at->second : facts.simplify(at->second);
      at->second = make_cast(iterator.var.type(), value);
    }
  }
  return solved;
}

}  // namespace ardea::schedule
