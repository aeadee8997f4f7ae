#include <numeric>

#include "ardea/arith/reasoner.h"

namespace ardea::arith {

namespace {

// e = multiple · k + remainder, of values too wide for 64 bits: what does not fit is given up.
Congruence reduced(Wide multiple, Wide remainder) {
  constexpr Wide limit = Wide{1} << 62;
  if (multiple < 0) multiple = -multiple;
  if (multiple >= limit) return {};
  if (multiple == 0)
    return remainder > -limit && remainder < limit ? Congruence{0, static_cast<std::int64_t>(remainder)}
                                                   : Congruence{};
  Wide r = remainder % multiple;
  if (r < 0) r += multiple;
  return {static_cast<std::int64_t>(multiple), static_cast<std::int64_t>(r)};
}

Wide common(Wide a, Wide b) {
  if (a < 0) a = -a;
  if (b < 0) b = -b;
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

Congruence sum(const Congruence& a, const Congruence& b) {
  return reduced(common(a.multiple, b.multiple), Wide{a.remainder} + b.remainder);
}

Congruence product(const Congruence& a, const Congruence& b) {
  const Wide multiple = common(common(Wide{a.multiple} * b.multiple, Wide{a.multiple} * b.remainder),
                               Wide{b.multiple} * a.remainder);
  return reduced(multiple, Wide{a.remainder} * b.remainder);
}

}  // namespace

Congruence Reasoner::congruence(AtomId id) {
  if (const Congruence* known = answers_.congruences.find(id)) return *known;
  const Congruence result = structural_congruence(id);
  answers_.congruences.set(id, result);
  return result;
}

Congruence Reasoner::structural_congruence(AtomId id) {
  const Atom& a = atom(id);
  if (const Interval bounds = interval(id); bounds.is_point()) return reduced(0, bounds.low);
  if (a.kind == AtomKind::quotient || a.kind == AtomKind::remainder) {
    if (!a.operands[1].is_constant()) return {};
    const std::int64_t divisor = a.operands[1].constant;
    const Congruence dividend = congruence(a.operands[0]);
    if (a.kind == AtomKind::remainder) return reduced(common(dividend.multiple, divisor), dividend.remainder);
    if (dividend.multiple % divisor == 0)
      return reduced(dividend.multiple / divisor, floor_quotient(dividend.remainder, divisor));
    return {};
  }
  if (a.kind == AtomKind::minimum || a.kind == AtomKind::maximum || a.kind == AtomKind::choice) {
    Congruence all = congruence(a.operands[0]);
    for (const Polynomial& operand : a.operands) {
      const Congruence next = congruence(operand);
      all = reduced(common(common(all.multiple, next.multiple), Wide{all.remainder} - next.remainder),
                    all.remainder);
    }
    return all;
  }
  if (const VariableFacts* known = facts_of(id)) {
    if (known->divisor > 1) return {known->divisor, 0};
    if (known->value && ends(id).low) return congruence(*ends(id).low);
  }
  return {};
}

Congruence Reasoner::congruence(const Polynomial& p) {
  if (p.overflow) return {};
  Congruence total{0, 0};
  for (const Term& term : p.terms) {
    Congruence factor = reduced(0, term.coefficient);
    for (const AtomId id : term.factors) {
      Congruence of_atom = congruence(id);
      for (const auto& [polynomial, residue] : understood_.residues)
        if (residue.multiple > of_atom.multiple && of_atom.multiple != 0 &&
            same(polynomial, atom_polynomial(id)))
          of_atom = residue;
      factor = product(factor, of_atom);
    }
    total = sum(total, factor);
  }
  for (const auto& [polynomial, residue] : understood_.residues) {
    const Polynomial rest = subtract(p, polynomial);
    if (rest.terms.empty() && residue.multiple > total.multiple && total.multiple != 0) total = residue;
  }
  return sum(total, reduced(0, p.constant));
}

}  // namespace ardea::arith
