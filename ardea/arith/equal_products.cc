#include <algorithm>
#include <cstdlib>

#include "ardea/arith/reasoner.h"

/// Products that are known to be equal, as factors of an extent and the extent are: what has one of them as a
/// factor is written with the other, and nothing is lost. Proofs that need several of them at once are out of
/// reach of a search that adds assumptions one by one.

namespace ardea::arith {

namespace {

/// a · Πx = b · Πy with positive a and b.
std::optional<EqualProducts> as_products(const Polynomial& zero) {
  std::vector<Term> sides = zero.terms;
  if (zero.constant != 0) sides.push_back({zero.constant, {}});
  if (sides.size() != 2 || zero.overflow) return std::nullopt;
  if ((sides[0].coefficient > 0) == (sides[1].coefficient > 0)) return std::nullopt;
  for (Term& side : sides) {
    if (side.coefficient == INT64_MIN) return std::nullopt;
    side.coefficient = std::abs(side.coefficient);
  }
  return EqualProducts{sides[0], sides[1]};
}

/// Whether the left factors come later in an order in which every product has finitely many before it.
bool comes_later(const Factors& left, const Factors& right) {
  if (left.size() != right.size()) return left.size() > right.size();
  const auto in_order = [](const Factors& factors) {
    std::vector<AtomId> all(factors.begin(), factors.end());
    std::sort(all.rbegin(), all.rend());
    return all;
  };
  return in_order(left) > in_order(right);
}

/// Of each term that has the left product as a factor, the right one in its place, times what makes it whole:
/// a positive multiple of p.
Polynomial rewritten(Polynomial p, const EqualProducts& known) {
  const auto has_it = [&](const Term& term) { return divides(known.left.factors, term.factors); };
  for (auto found = std::find_if(p.terms.begin(), p.terms.end(), has_it);
       found != p.terms.end() && !p.overflow; found = std::find_if(p.terms.begin(), p.terms.end(), has_it)) {
    const Term& term = *found;
    const Term shared = *divide_exactly({1, term.factors}, {1, known.left.factors});
    const Polynomial other =
        scale(multiply(from_term({term.coefficient, shared.factors}), from_term({1, known.right.factors})),
              known.right.coefficient);
    p = add(scale(subtract(p, from_term(term)), known.left.coefficient), other);
  }
  return p;
}

}  // namespace

void Reasoner::assume_equal_products(const Polynomial& zero) {
  auto known = as_products(zero);
  if (!known) return;
  // Factors of both that are not zero say nothing.
  const Term common = common_divisor({1, known->left.factors}, {1, known->right.factors});
  if (!std::all_of(common.factors.begin(), common.factors.end(),
                   [&](AtomId id) { return interval(id).low >= 1; }))
    return;
  known->left.factors = divide_exactly({1, known->left.factors}, common)->factors;
  known->right.factors = divide_exactly({1, known->right.factors}, common)->factors;
  if (!comes_later(known->left.factors, known->right.factors)) std::swap(known->left, known->right);
  understood_.equal_products.own().push_back(*known);
}

bool Reasoner::by_worse_ends(Polynomial p) {
  const auto natural = [&](AtomId id) { return interval(id).low >= 0; };
  // All variables with ends stand at the worse one, innermost first.
  constexpr int most_variables = 16;
  for (int i = 0; i < most_variables; ++i) {
    AtomId last = -1;
    int order = -1;
    for (const AtomId id : atoms_in(p)) {
      const VariableFacts* known = facts_of(id);
      if (!known || known->order <= order) continue;
      if (const Ends& e = ends(id); !e.low || !e.high) continue;
      last = id;
      order = known->order;
    }
    if (last < 0) break;
    if (degree(p, last) != 1) return false;
    const auto [coefficient, rest] = split_linear(p, last);
    std::vector<Term> parts = coefficient.terms;
    if (coefficient.constant != 0) parts.push_back({coefficient.constant, {}});
    const bool grows = parts[0].coefficient > 0;
    for (const Term& part : parts)
      if ((part.coefficient > 0) != grows || !std::all_of(part.factors.begin(), part.factors.end(), natural))
        return false;
    const Ends& e = ends(last);
    p = add(rest, multiply(coefficient, grows ? *e.low : *e.high));
    if (p.overflow) return false;
  }
  for (const EqualProducts& known : *understood_.equal_products) p = tightened(rewritten(p, known));
  Question::spend(1 + static_cast<std::int64_t>(p.terms.size()));
  if (p.overflow) return false;
  return p.is_constant() ? p.constant >= 0 : interval(p).low >= 0 || by_expansion(p);
}

}  // namespace ardea::arith
