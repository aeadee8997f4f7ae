#include <algorithm>
#include <cstdlib>

#include "ardea/arith/reasoner.h"

/// Proofs of p >= 0. Each step replaces p by something that is provably not larger, until only constants are
/// left:
///   expansion    every atom is its least value plus a natural number; then no coefficient may be negative
///   assumption   p - k · a, where a >= 0 is assumed and k >= 0 makes a term vanish
///   ends         the variable bound last goes to the end of its range that makes p smallest
///   compound     a quotient, remainder, minimum, maximum or choice goes to what it is known to lie between
/// The order of the steps matters for what is found, not for what is true, so the search tries them in turn,
/// within a budget.

namespace ardea::arith {

struct Reasoner::Search {
  int budget = 48;  ///< what is provable here takes a dozen steps; the rest is what an unknown answer costs
  std::map<std::vector<std::int64_t>, bool> tried =
      {};  ///< whether it was proved; false while it is looked at
};

bool Reasoner::nonnegative(const Polynomial& p) {
  if (p.overflow) return false;
  if (p.is_constant()) return p.constant >= 0;
  auto key = key_of(p);
  if (const auto known = answers_.signs.find(key); known != answers_.signs.end()) return known->second;
  Search state;
  const bool has_products = !understood_.equal_products->empty();
  // The search comes to the ends by itself, but on the way there it may have spent all that it may.
  const bool result =
      (has_products && by_worse_ends(p)) || search(state, p, 0) || (!has_products && by_worse_ends(p));
  return answers_.signs[std::move(key)] = result;
}

bool Reasoner::search(Search& state, Polynomial p, int depth) {
  constexpr int deepest = 12;
  constexpr std::size_t most_terms = 32;
  if (p.overflow || p.terms.size() > most_terms) return false;
  Question::spend(1 + static_cast<std::int64_t>(p.terms.size()));
  p = tightened(p);
  if (p.is_constant()) return p.constant >= 0;
  const Interval bounds = interval(p);
  if (bounds.low >= 0) return true;
  if (bounds.high < 0 || depth > deepest || --state.budget < 0) return false;
  const auto [before, is_new] = state.tried.try_emplace(key_of(p), false);
  if (is_new) before->second = by_steps(state, p, depth);
  return before->second;
}

bool Reasoner::by_steps(Search& state, const Polynomial& p, int depth) {
  if (const auto joined = without_remainders(p)) return search(state, *joined, depth + 1);
  if (by_expansion(p)) return true;
  // What loses nothing comes before what does: an assumption spent on a quotient is often missing later.
  const Atoms atoms = atoms_in(p);
  const auto is_exact = [&](AtomId id) { return is_unit_quotient(p, id) || is_conjunction(p, id); };
  for (const AtomId id : atoms)
    if (is_exact(id) && by_compound(state, p, id, depth)) return true;
  if (by_assumption(state, p, depth)) return true;
  for (const AtomId id : atoms)
    if (!is_exact(id) && by_compound(state, p, id, depth)) return true;
  return by_ends(state, p, depth);
}

bool Reasoner::by_expansion(const Polynomial& p) {
  Polynomial expanded = p;
  for (const AtomId id : atoms_in(p)) {
    const Interval bounds = interval(id);
    if (const auto low = low_of(bounds)) {
      if (*low != 0) expanded = substitute(expanded, id, add(atom_polynomial(id), constant_polynomial(*low)));
    } else if (const auto high = high_of(bounds)) {
      expanded = substitute(expanded, id, add(constant_polynomial(*high), atom_polynomial(id), -1));
    } else {
      return false;
    }
  }
  return !expanded.overflow && expanded.constant >= 0 &&
         std::all_of(expanded.terms.begin(), expanded.terms.end(),
                     [](const Term& t) { return t.coefficient > 0; });
}

bool Reasoner::by_assumption(Search& state, const Polynomial& p, int depth) {
  const auto natural = [&](AtomId id) { return interval(id).low >= 0; };
  for (const Polynomial& assumed : assumptions()) {
    Question::spend(1);
    for (const Term& theirs : assumed.terms) {
      for (const Term& mine : p.terms) {
        // mine = shared · theirs, up to the coefficients.
        if ((mine.coefficient > 0) != (theirs.coefficient > 0)) continue;
        if (!divides(theirs.factors, mine.factors)) continue;  // mostly, and before anything is copied
        const auto shared = divide_exactly({1, mine.factors}, {1, theirs.factors});
        if (mine.coefficient == INT64_MIN || theirs.coefficient == INT64_MIN) continue;
        if (!std::all_of(shared->factors.begin(), shared->factors.end(), natural)) continue;
        // |theirs| · p - |mine| · shared · assumed: this term vanishes, and the sign of p is kept.
        const Polynomial part = multiply(from_term({std::abs(mine.coefficient), shared->factors}), assumed);
        if (search(state, subtract(scale(p, std::abs(theirs.coefficient)), part), depth + 1)) return true;
      }
    }
  }
  return false;
}

Proof Reasoner::sign(Search& state, const Polynomial& p, int depth) {
  if (p.is_constant()) return p.constant >= 0 ? Proof::proved : Proof::refuted;
  if (search(state, p, depth + 1)) return Proof::proved;
  return search(state, scale(p, -1), depth + 1) ? Proof::refuted : Proof::unknown;
}

bool Reasoner::by_ends(Search& state, const Polynomial& p, int depth) {
  AtomId last = -1;
  int order = -1;
  for (const AtomId id : atoms_in(p)) {
    const VariableFacts* known = facts_of(id);
    if (!known || known->order <= order || degree(p, id) != 1) continue;
    if (const Ends& e = ends(id); !e.low && !e.high) continue;
    last = id;
    order = known->order;
  }
  if (last < 0) return false;
  const auto [coefficient, rest] = split_linear(p, last);
  const Proof grows = sign(state, coefficient, depth);
  if (grows == Proof::unknown) return false;
  const Ends& e = ends(last);
  const std::optional<Polynomial>& end = grows == Proof::proved ? e.low : e.high;
  return end && search(state, add(rest, multiply(coefficient, *end)), depth + 1);
}

/// p with every a % b beside an a // b as a - b · (a // b): the two of them say the same, and apart neither
/// knows of the other. Nothing where there is none.
std::optional<Polynomial> Reasoner::without_remainders(const Polynomial& p) {
  const Atoms atoms = atoms_in(p);
  for (const AtomId id : atoms) {
    if (atom(id).kind != AtomKind::remainder) continue;
    const auto same = std::find_if(atoms.begin(), atoms.end(), [&](AtomId other) {
      return atom(other).kind == AtomKind::quotient &&
             key_of(atom(other).operands[0]) == key_of(atom(id).operands[0]) &&
             key_of(atom(other).operands[1]) == key_of(atom(id).operands[1]);
    });
    if (same == atoms.end()) continue;
    const Polynomial &a = atom(id).operands[0], &b = atom(id).operands[1];
    return substitute(p, id, subtract(a, multiply(b, atom_polynomial(*same))));
  }
  return std::nullopt;
}

/// p = r ± a // b, whose sign is exactly that of a sum without the quotient.
bool Reasoner::is_unit_quotient(const Polynomial& p, AtomId id) {
  if (atom(id).kind != AtomKind::quotient || degree(p, id) != 1) return false;
  const Polynomial coefficient = split_linear(p, id).coefficient;
  return coefficient.is_constant() && std::abs(coefficient.constant) == 1;
}

/// p = r + c · min(a, b) for a number c > 0, or r - c · max(a, b): not negative exactly where both r + c · a
/// and r + c · b are not, for the least is one of the two, and no more than the other. Where p or the two
/// have more such atoms, the cases are many, and other steps come first.
bool Reasoner::is_conjunction(const Polynomial& p, AtomId id) {
  const auto has_cases = [&](AtomId other) {
    const AtomKind kind = atom(other).kind;
    return kind == AtomKind::minimum || kind == AtomKind::maximum;
  };
  if (!has_cases(id) || degree(p, id) != 1) return false;
  const Polynomial coefficient = split_linear(p, id).coefficient;
  if (!coefficient.is_constant() || (coefficient.constant > 0) != (atom(id).kind == AtomKind::minimum))
    return false;
  const auto is_plain = [&](const Polynomial& q) {
    const Atoms atoms = atoms_in(q);
    return std::none_of(atoms.begin(), atoms.end(),
                        [&](AtomId other) { return other != id && has_cases(other); });
  };
  return is_plain(p) && std::all_of(atom(id).operands.begin(), atom(id).operands.end(), is_plain);
}

bool Reasoner::by_compound(Search& state, const Polynomial& p, AtomId id, int depth) {
  const Atom& a = atom(id);
  if (a.operands.empty() || degree(p, id) != 1) return false;
  const auto [coefficient, rest] = split_linear(p, id);
  const Proof grows = sign(state, coefficient, depth);
  if (grows == Proof::unknown) return false;
  const bool wants_least = grows == Proof::proved;
  const auto with = [&](const Polynomial& value) {
    return search(state, add(rest, multiply(coefficient, value)), depth + 1);
  };
  const auto every = [&] { return std::all_of(a.operands.begin(), a.operands.end(), with); };
  const auto some = [&] { return std::any_of(a.operands.begin(), a.operands.end(), with); };
  // The least of two is at most their mean, the greatest at least: 2 · p is at least twice the rest and the
  // coefficient times their sum. Where the sum is simpler than they are, as that of mirrored places.
  const auto by_mean = [&] {
    if (a.operands.size() != 2) return false;
    const Polynomial sum = add(a.operands[0], a.operands[1]);
    return sum.terms.size() < std::max(a.operands[0].terms.size(), a.operands[1].terms.size()) &&
           search(state, add(scale(rest, 2), multiply(coefficient, sum)), depth + 1);
  };
  switch (a.kind) {
    case AtomKind::quotient: {
      const Polynomial& divisor = a.operands[1];
      Polynomial bound = a.operands[0];
      // r + a // b >= 0 exactly where r·b + a >= 0, and r - a // b >= 0 exactly where r·b + b - 1 - a >= 0.
      if (coefficient.is_constant() && std::abs(coefficient.constant) == 1) {
        if (!wants_least) bound = add(subtract(bound, divisor), constant_polynomial(1));
        return search(state, add(multiply(rest, divisor), multiply(coefficient, bound)), depth + 1);
      }
      // b · (a // b) lies in [a - b + 1, a]; b · p has the sign of p.
      if (wants_least) bound = add(subtract(bound, divisor), constant_polynomial(1));
      return search(state, add(multiply(rest, divisor), multiply(coefficient, bound)), depth + 1);
    }
    case AtomKind::remainder:
      if (wants_least) return with(constant_polynomial(0));
      if (with(add(a.operands[1], constant_polynomial(-1)))) return true;
      return search(state, a.operands[0], depth + 1) && with(a.operands[0]);
    case AtomKind::minimum: return (!wants_least && (some() || by_mean())) || every();
    case AtomKind::maximum: return (wants_least && (some() || by_mean())) || every();
    case AtomKind::choice: return every();
    default: return false;
  }
}

}  // namespace ardea::arith
