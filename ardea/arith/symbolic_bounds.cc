#include <algorithm>

#include "ardea/arith/reasoner.h"
#include "ardea/ir/substitute.h"

/// Bounds as polynomials: one atom after the other, innermost first, goes to the end of its range that makes
/// the whole extreme.

namespace ardea::arith {

namespace {

constexpr int deepest = 16;

std::optional<Polynomial> constant_end(const Interval& bounds, bool upper) {
  const auto value = upper ? high_of(bounds) : low_of(bounds);
  return value ? std::optional(constant_polynomial(*value)) : std::nullopt;
}

}  // namespace

void Reasoner::range_over(AtomSet variables) {
  ranging_.variables = std::move(variables);
  ranging_.depends.clear();
  ranging_.extremes.clear();
}

bool Reasoner::depends(AtomId id) {
  if (const auto it = ranging_.depends.find(id); it != ranging_.depends.end()) return it->second;
  const bool result = changes(id);
  return ranging_.depends[id] = result;
}

bool Reasoner::depends(const Polynomial& p) {
  const auto atoms = atoms_in(p);
  return std::any_of(atoms.begin(), atoms.end(), [&](AtomId id) { return depends(id); });
}

bool Reasoner::changes(AtomId id) {
  if (ranging_.variables.contains(id)) return true;
  const Atom& a = atom(id);
  const auto any_variable = [&](const Expr& e) {
    const auto variables = free_variables(e);
    return std::any_of(variables.begin(), variables.end(),
                       [&](const Var& v) { return depends(variable_atom(v)); });
  };
  if (a.kind == AtomKind::variable) {
    const VariableFacts* known = facts_of(id);
    return known && known->value && any_variable(*known->value);
  }
  if (a.kind == AtomKind::opaque || a.kind == AtomKind::choice) return any_variable(a.expr);
  return std::any_of(a.operands.begin(), a.operands.end(), [&](const Polynomial& p) { return depends(p); });
}

std::optional<Polynomial> Reasoner::atom_extreme(AtomId id, bool upper, int depth) {
  const Atom& a = atom(id);
  const auto of = [&](const Polynomial& p, bool end) { return extreme(p, end, depth + 1); };
  switch (a.kind) {
    case AtomKind::variable: {
      const Ends& e = ends(id);
      const auto& end = upper ? e.high : e.low;
      return end ? end : constant_end(interval(id), upper);
    }
    case AtomKind::quotient: {
      const auto dividend = of(a.operands[0], upper);
      if (dividend && !depends(a.operands[1])) return quotient(*dividend, a.operands[1], int64);
      return constant_end(interval(id), upper);
    }
    case AtomKind::remainder: {
      if (!upper) return constant_polynomial(0);
      const auto divisor = of(a.operands[1], true);
      const auto dividend = nonnegative(a.operands[0]) ? of(a.operands[0], true) : std::nullopt;
      if (!divisor) return dividend;
      const Polynomial below = add(*divisor, constant_polynomial(-1));
      return dividend && at_most(*dividend, below) ? *dividend : below;
    }
    case AtomKind::minimum:
    case AtomKind::maximum:
    case AtomKind::choice: {
      std::vector<Polynomial> known;
      for (const Polynomial& p : a.operands)
        if (const auto end = of(p, upper)) known.push_back(*end);
      // One operand is enough to bound a minimum from above, or a maximum from below.
      const bool one_serves = a.kind == (upper ? AtomKind::minimum : AtomKind::maximum);
      if (known.empty() || (!one_serves && known.size() < a.operands.size()))
        return constant_end(interval(id), upper);
      const AtomKind kind =
          a.kind == AtomKind::choice ? (upper ? AtomKind::maximum : AtomKind::minimum) : a.kind;
      return extremum(kind, known, int64);
    }
    default: return constant_end(interval(id), upper);
  }
}

std::optional<Polynomial> Reasoner::extreme_by_ends(Polynomial p, bool upper, int depth) {
  for (int steps = 0; steps < 64; ++steps) {
    // Compound atoms first: once a variable in them is replaced outside, their own range no longer follows
    // it.
    AtomId next = -1;
    int order = -1;
    for (const AtomId id : atoms_in(p)) {
      if (!depends(id)) continue;
      const VariableFacts* known = facts_of(id);
      const int rank = atom(id).kind == AtomKind::variable ? (known ? known->order : 0) : 1 << 30;
      if (rank > order) next = id, order = rank;
    }
    if (next < 0) return p;
    if (degree(p, next) != 1) return std::nullopt;
    const auto [coefficient, rest] = split_linear(p, next);
    const bool grows = nonnegative(coefficient);
    if (!grows && !nonnegative(scale(coefficient, -1))) return std::nullopt;
    const auto end = atom_extreme(next, upper == grows, depth);
    if (!end) return std::nullopt;
    p = add(rest, multiply(coefficient, *end));
    if (p.overflow) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Polynomial> Reasoner::extreme(const Polynomial& p, bool upper, int depth) {
  if (!depends(p)) return p;
  if (depth > deepest) return constant_end(interval(p), upper);
  auto key = std::pair(key_of(p), upper);
  if (const auto it = ranging_.extremes.find(key); it != ranging_.extremes.end()) return it->second;
  Question::spend(4 + static_cast<std::int64_t>(p.terms.size() * (1 + understood_.assumptions->size())));
  const auto result = best_extreme(p, upper, depth);
  return ranging_.extremes[std::move(key)] = result;
}

std::optional<Polynomial> Reasoner::best_extreme(const Polynomial& p, bool upper, int depth) {
  const auto count = [&](const Polynomial& q) {
    const auto atoms = atoms_in(q);
    return std::count_if(atoms.begin(), atoms.end(), [&](AtomId id) { return depends(id); });
  };
  std::optional<Polynomial> best = extreme_by_ends(p, upper, depth);
  const auto improve = [&](const std::optional<Polynomial>& candidate) {
    if (!candidate || candidate->overflow) return;
    if (!best || (upper ? at_most(*candidate, *best) : at_most(*best, *candidate))) best = candidate;
  };
  // p <= p + a for every assumed a >= 0: a guard such as io * 4 + ii < 10 bounds the sum better than its
  // parts.
  for (const Polynomial& assumed : assumptions()) {
    const Polynomial shifted = add(p, assumed, upper ? 1 : -1);
    if (count(shifted) < count(p)) improve(extreme(shifted, upper, depth + 1));
  }
  const auto constant = constant_end(interval(p), upper);
  if (constant && (!best || (best->is_constant() && (upper ? constant->constant < best->constant
                                                           : constant->constant > best->constant))))
    best = constant;
  return best;
}

}  // namespace ardea::arith
