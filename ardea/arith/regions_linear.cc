#include "ardea/arith/regions_linear.h"

#include <algorithm>

#include "ardea/arith/iter_map.h"
#include "ardea/arith/scopes.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"

namespace ardea::arith {

bool uses_any(const Expr& e, const std::vector<LoopRange>& loops) {
  if (e.is<IntImm>() || loops.empty()) return false;
  return any_expr(e, [&](const Expr& part) {
    return part.is<VarNode>() &&
           std::any_of(loops.begin(), loops.end(), [&](const LoopRange& loop) { return loop.first == part; });
  });
}

namespace {

/// The coefficients where they are numbers, read off the normal form.
std::optional<std::vector<Expr>> constant_coefficients(const Expr& index, const std::vector<LoopRange>& loops,
                                                       const Analyzer& facts) {
  if (has_effect(index)) return std::nullopt;
  using Coefficients = std::optional<std::vector<Expr>>;
  AskedAbout about{AskedAbout::What::coefficients, {index}};
  for (const auto& [var, range] : loops) about.exprs.push_back(var);
  return remembered(facts.facts(), about, Coefficients(), [&](Reasoner& reasoner) -> Coefficients {
    const Polynomial p = reasoner.normalise(index);
    if (p.overflow) return std::nullopt;
    std::vector<std::int64_t> coefficients(loops.size(), 0);
    for (const Term& term : p.terms) {
      const Expr& first = reasoner.atom(term.factors[0]).expr;
      const auto loop =
          std::find_if(loops.begin(), loops.end(), [&](const LoopRange& l) { return l.first == first; });
      if (loop != loops.end() && term.factors.size() == 1) {
        coefficients[static_cast<std::size_t>(loop - loops.begin())] = term.coefficient;
        continue;
      }
      for (const AtomId id : term.factors)
        if (const Expr& atom = reasoner.atom(id).expr; !atom.defined() || uses_any(atom, loops))
          return std::nullopt;
    }
    std::vector<Expr> result;
    for (const std::int64_t coefficient : coefficients) result.push_back(make_int(coefficient));
    return result;
  });
}

}  // namespace

std::optional<std::vector<Expr>> linear_coefficients(const Expr& e, const std::vector<LoopRange>& loops,
                                                     const Analyzer& facts) {
  if (auto constant = constant_coefficients(as_index(e), loops, facts)) return constant;
  // By differences: e is linear in x where e[x := x + 1] - e is free of the loops. The facts hold at x, so
  // that the difference is right at every iteration and e is linear over the whole range.
  const Expr index = facts.simplify(as_index(e));
  std::vector<Expr> coefficients;
  for (const auto& [var, range] : loops) {
    if (!uses(index, var)) {
      coefficients.push_back(make_int(0));
      continue;
    }
    const Expr step = facts.simplify(substitute(index, var, var + 1) - index);
    if (uses_any(step, loops)) return std::nullopt;
    coefficients.push_back(step);
  }
  return coefficients;
}

namespace {

bool independent(const std::vector<LoopRange>& loops) {
  return std::none_of(loops.begin(), loops.end(), [&](const LoopRange& loop) {
    return uses_any(loop.second.min, loops) || uses_any(loop.second.extent, loops);
  });
}

/// A slice [min, min + extent) is the index min + t for t in [0, extent): one more loop.
struct Points {
  std::vector<Expr> indices;
  std::vector<LoopRange> loops;
  Analyzer facts;
};

Points as_points(const std::vector<Range>& dims, const std::vector<LoopRange>& loops, const Analyzer& facts) {
  Points points{{}, loops, facts};
  for (const Range& dim : dims) {
    Expr index = as_index(dim.min);
    if (!is_one(dim.extent)) {
      const Var t("t");
      const Range range{make_int(0), as_index(dim.extent)};
      points.loops.emplace_back(t, range);
      points.facts.bind(t, range);
      index = index + t;
    }
    points.indices.push_back(index);
  }
  return points;
}

/// The coefficient without its sign, or nothing where the sign is not known.
std::optional<Expr> magnitude(const Expr& coefficient, const Analyzer& facts) {
  if (facts.proves(coefficient >= make_int(0))) return coefficient;
  if (facts.proves(coefficient <= make_int(0))) return facts.simplify(-coefficient);
  return std::nullopt;
}

struct WeightedLoop {
  Expr weight, extent;
};

/// The moving terms of one index: weight times a loop of `extent` iterations.
std::optional<std::vector<WeightedLoop>> terms_of(const std::vector<Expr>& coefficients,
                                                  const std::vector<LoopRange>& loops,
                                                  const Analyzer& facts) {
  std::vector<WeightedLoop> terms;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (is_zero(coefficients[i])) continue;
    const auto weight = magnitude(coefficients[i], facts);
    if (!weight) return std::nullopt;
    terms.push_back({*weight, as_index(loops[i].second.extent)});
  }
  return terms;
}

/// The `reach` where Σ weight·x runs over [0, reach] without a gap: each weight is at most one more than what
/// the lighter ones reach.
std::optional<Expr> reach_without_gaps(std::vector<WeightedLoop> terms, const Analyzer& facts) {
  Expr reach = make_int(0);
  while (!terms.empty()) {
    const auto next = std::find_if(terms.begin(), terms.end(), [&](const WeightedLoop& term) {
      return facts.proves(term.weight <= reach + 1);
    });
    if (next == terms.end()) return std::nullopt;
    reach = facts.simplify(reach + next->weight * (next->extent - 1));
    terms.erase(next);
  }
  return reach;
}

/// An index modulo a number of which it takes at least as many values without a gap: m values in a row, each
/// one more than the one before, have the m remainders 0, …, m - 1, so that the index modulo m takes each of
/// them, wherever the row begins. The bounds of the remainder are 0 and m - 1: these fill the box. Nothing
/// where it is no such index, or m is moved by the loops or not proved to be positive.
struct Remainder {
  Expr of, divisor;
};
std::optional<Remainder> remainder(const Expr& index, const std::vector<LoopRange>& loops,
                                   const Analyzer& facts) {
  const auto* node = index.as<Binary>();
  if (node == nullptr || node->op != BinaryOp::floor_mod || !uses_any(node->left, loops) ||
      uses_any(node->right, loops) || !facts.proves(node->right >= make_int(1)))
    return std::nullopt;
  return Remainder{node->left, node->right};
}

/// Slices of `width` at Σ weight·x do not meet for different x: each weight is more than what the lighter
/// ones reach.
bool apart(std::vector<WeightedLoop> terms, const Expr& width, const Analyzer& facts) {
  Expr reach = facts.simplify(as_index(width) - 1);
  while (!terms.empty()) {
    const auto lightest = std::find_if(terms.begin(), terms.end(), [&](const WeightedLoop& term) {
      const Expr next = reach + term.weight * (term.extent - 1);
      return facts.proves(term.weight > reach) &&
             std::all_of(terms.begin(), terms.end(), [&](const WeightedLoop& other) {
               return &other == &term || facts.proves(other.weight > next);
             });
    });
    if (lightest == terms.end()) return false;
    reach = facts.simplify(reach + lightest->weight * (lightest->extent - 1));
    terms.erase(lightest);
  }
  return true;
}

bool fills_linearly(const Points& points) {
  std::vector<bool> taken(points.loops.size(), false);
  for (const Expr& index : points.indices) {
    const auto rest = remainder(index, points.loops, points.facts);
    const auto coefficients = linear_coefficients(rest ? rest->of : index, points.loops, points.facts);
    if (!coefficients) return false;
    for (std::size_t i = 0; i < taken.size(); ++i) {
      if (is_zero((*coefficients)[i])) continue;
      if (taken[i]) return false;
      taken[i] = true;
    }
    const auto terms = terms_of(*coefficients, points.loops, points.facts);
    const auto reach = terms ? reach_without_gaps(*terms, points.facts) : std::nullopt;
    if (!reach || (rest && !points.facts.proves(*reach + 1 >= rest->divisor))) return false;
  }
  return true;
}

bool fills_by_digits(const Points& points) {
  const auto map = iter_map(points.indices, points.loops, make_bool(true), points.facts);
  if (!map || !map->surjective) return false;
  for (std::size_t d = 0; d < points.indices.size(); ++d) {
    const MixedRadix& digits = map->bindings[d];
    std::vector<Var> vars;
    for (const LoopRange& loop : points.loops) vars.push_back(loop.first);
    const SymbolicBounds bounds = points.facts.bounds(points.indices[d], vars);
    if (!digits.regular || !bounds.low.defined() || !bounds.high.defined()) return false;
    const Expr reached = as_index(bounds.high) - as_index(bounds.low) + 1;
    if (!points.facts.proves(equals(reached, as_index(digits.extent)))) return false;
  }
  return true;
}

}  // namespace

bool fills_box(const std::vector<Range>& dims, const std::vector<LoopRange>& loops, const Analyzer& facts) {
  for (const Range& dim : dims)
    if (uses_any(dim.extent, loops)) return false;
  const Points points = as_points(dims, loops, facts);
  if (!independent(points.loops)) return false;
  return fills_linearly(points) || fills_by_digits(points);
}

namespace {

/// Values that e is never more than: of a + min(b, c) both a + b and a + c are. Few of them.
std::vector<Expr> upper_values(const Expr& e) {
  constexpr std::size_t most = 8;
  const auto* node = e.as<Binary>();
  if (node == nullptr) return {e};
  if (node->op == BinaryOp::min) {
    std::vector<Expr> all = upper_values(node->left);
    for (const Expr& other : upper_values(node->right)) all.push_back(other);
    return all.size() > most ? std::vector<Expr>{e} : all;
  }
  if (node->op != BinaryOp::add && node->op != BinaryOp::sub) return {e};
  std::vector<Expr> all;
  const std::vector<Expr> right =
      node->op == BinaryOp::add ? upper_values(node->right) : std::vector<Expr>{node->right};
  for (const Expr& a : upper_values(node->left))
    for (const Expr& b : right) all.push_back(make_binary(node->op, a, b));
  return all.size() > most ? std::vector<Expr>{e} : all;
}

/// A width that no slice exceeds, whichever iteration it is of. Slices [s(x), s(x) + w(x)) lie in
/// [s(x), s(x) + c) for w <= c: where these do not meet, they do not.
Expr common_width(const Expr& width, const std::vector<LoopRange>& loops, const Analyzer& facts) {
  if (!uses_any(width, loops)) return width;
  for (const Expr& value : upper_values(width))
    if (const Expr simple = facts.simplify(value); !uses_any(simple, loops)) return simple;
  return {};
}

}  // namespace

std::optional<std::vector<std::size_t>> separating_dimensions(const std::vector<Range>& dims,
                                                              const std::vector<LoopRange>& loops,
                                                              const Analyzer& facts) {
  if (!independent(loops)) return std::nullopt;
  std::vector<LoopRange> left = loops;  // not told apart yet; the others are equal in the pair of iterations
  std::vector<std::size_t> used;
  for (bool progress = true; progress && !left.empty();) {
    progress = false;
    for (std::size_t d = 0; d < dims.size() && !left.empty(); ++d) {
      if (!uses_any(dims[d].min, left)) continue;
      const Expr width = common_width(dims[d].extent, loops, facts);
      if (!width.defined()) continue;
      const auto coefficients = linear_coefficients(dims[d].min, left, facts);
      if (!coefficients) continue;
      const auto terms = terms_of(*coefficients, left, facts);
      // A mention that cancels out (i - i) tells nothing apart.
      if (!terms || terms->empty() || !apart(*terms, width, facts)) continue;
      for (std::size_t i = left.size(); i-- > 0;)
        if (!is_zero((*coefficients)[i])) left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
      used.push_back(d);
      progress = true;
    }
  }
  if (left.empty()) return used;
  const Points points = as_points(dims, loops, facts);
  const auto map = iter_map(points.indices, points.loops, make_bool(true), points.facts);
  if (!map || !map->injective) return std::nullopt;
  used.resize(dims.size());
  for (std::size_t d = 0; d < dims.size(); ++d) used[d] = d;
  return used;
}

}  // namespace ardea::arith
