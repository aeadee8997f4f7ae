#include "ardea/arith/polynomial.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "ardea/arith/interval.h"

namespace ardea::arith {

namespace {

std::int64_t narrow(Wide value, bool& overflow) {
  if (value < std::numeric_limits<std::int64_t>::min() || value > std::numeric_limits<std::int64_t>::max())
    overflow = true;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value));
}

Factors sorted(Factors factors) {
  std::sort(factors.begin(), factors.end());
  return factors;
}

void add_term(Polynomial& to, const Term& term) {
  if (term.coefficient == 0) return;
  for (auto it = to.terms.begin(); it != to.terms.end(); ++it) {
    if (!same_factors(it->factors, term.factors)) continue;
    it->coefficient = narrow(Wide{it->coefficient} + term.coefficient, to.overflow);
    if (it->coefficient == 0) to.terms.erase(it);
    return;
  }
  to.terms.push_back(term);
}

/// One whose factors no term has yet.
void append_term(Polynomial& to, Wide coefficient, const Factors& factors) {
  if (const std::int64_t value = narrow(coefficient, to.overflow); value != 0)
    to.terms.push_back({value, factors});
}

std::int64_t wrap_value(std::int64_t value, int bits) {
  if (bits >= 64) return value;
  const int shift = 64 - bits;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << shift) >> shift;
}

// The magnitude as unsigned, because that of the least integer does not fit.
std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

}  // namespace

Polynomial constant_polynomial(std::int64_t value) { return {{}, value}; }
Polynomial atom_polynomial(AtomId atom) { return {{{1, {atom}}}}; }
Polynomial from_term(const Term& t) {
  if (t.factors.empty()) return constant_polynomial(t.coefficient);
  return t.coefficient == 0 ? Polynomial{} : Polynomial{{t}};
}

namespace {

void add_to(Polynomial& sum, const Polynomial& b, std::int64_t factor = 1) {
  sum.overflow = sum.overflow || b.overflow;
  sum.constant = narrow(sum.constant + Wide{b.constant} * factor, sum.overflow);
  for (const Term& term : b.terms)
    add_term(sum, {narrow(Wide{term.coefficient} * factor, sum.overflow), term.factors});
}

}  // namespace

Polynomial add(const Polynomial& a, const Polynomial& b, std::int64_t factor) {
  Polynomial sum;
  sum.terms.reserve(a.terms.size() + b.terms.size());
  sum.terms.insert(sum.terms.end(), a.terms.begin(), a.terms.end());
  sum.constant = a.constant;
  sum.overflow = a.overflow;
  add_to(sum, b, factor);
  return sum;
}

Polynomial subtract(const Polynomial& a, const Polynomial& b) { return add(a, b, -1); }

Polynomial multiply(const Polynomial& a, const Polynomial& b) {
  Polynomial product;
  product.overflow = a.overflow || b.overflow;
  product.constant = narrow(Wide{a.constant} * b.constant, product.overflow);
  product.terms.reserve((a.terms.size() + 1) * (b.terms.size() + 1));
  // A number or one term times a sum leaves its terms apart.
  if (a.terms.empty() || b.terms.empty()) {
    for (const Term& left : a.terms) append_term(product, Wide{left.coefficient} * b.constant, left.factors);
    for (const Term& right : b.terms)
      append_term(product, Wide{right.coefficient} * a.constant, right.factors);
    return product;
  }
  if (a.terms.size() == 1 && a.constant == 0) {
    const Term& left = a.terms[0];
    for (const Term& right : b.terms) {
      Factors factors = left.factors;
      factors.append(right.factors.begin(), right.factors.end());
      append_term(product, Wide{left.coefficient} * right.coefficient, factors);
    }
    append_term(product, Wide{left.coefficient} * b.constant, left.factors);
    return product;
  }
  for (const Term& left : a.terms) {
    for (const Term& right : b.terms) {
      Term term{narrow(Wide{left.coefficient} * right.coefficient, product.overflow), left.factors};
      term.factors.append(right.factors.begin(), right.factors.end());
      add_term(product, term);
    }
    add_term(product, {narrow(Wide{left.coefficient} * b.constant, product.overflow), left.factors});
  }
  for (const Term& right : b.terms)
    add_term(product, {narrow(Wide{right.coefficient} * a.constant, product.overflow), right.factors});
  return product;
}

Polynomial scale(const Polynomial& a, std::int64_t factor) {
  if (factor == 1) return a;
  Polynomial scaled;
  scaled.overflow = a.overflow;
  scaled.constant = narrow(Wide{a.constant} * factor, scaled.overflow);
  scaled.terms.reserve(a.terms.size());
  for (const Term& term : a.terms) append_term(scaled, Wide{term.coefficient} * factor, term.factors);
  return scaled;
}

Polynomial wrap(Polynomial a, int bits) {
  a.constant = wrap_value(a.constant, bits);
  for (Term& term : a.terms) term.coefficient = wrap_value(term.coefficient, bits);
  std::erase_if(a.terms, [](const Term& term) { return term.coefficient == 0; });
  a.overflow = false;
  return a;
}

bool same_factors(const Factors& a, const Factors& b) {
  if (a.size() != b.size()) return false;
  if (a.size() == 1) return a[0] == b[0];
  if (a.size() == 2) return (a[0] == b[0] && a[1] == b[1]) || (a[0] == b[1] && a[1] == b[0]);
  return a == b || sorted(a) == sorted(b);
}

bool same(const Polynomial& a, const Polynomial& b) {
  if (a.constant != b.constant || a.terms.size() != b.terms.size()) return false;
  for (const Term& term : a.terms) {
    const bool found = std::any_of(b.terms.begin(), b.terms.end(), [&](const Term& other) {
      return other.coefficient == term.coefficient && same_factors(other.factors, term.factors);
    });
    if (!found) return false;
  }
  return true;
}

void add_key(std::vector<std::int64_t>& key, const Polynomial& a) {
  // A key is needed for most questions, and most terms have one factor: no memory but that of the key.
  SmallVector<const Term*, 16> terms;
  for (const Term& term : a.terms) terms.push_back(&term);
  const auto before = [](const Term* x, const Term* y) {
    if (x->factors.size() == 1 && y->factors.size() == 1) return x->factors[0] < y->factors[0];
    return sorted(x->factors) < sorted(y->factors);
  };
  std::sort(terms.begin(), terms.end(), before);
  key.reserve(key.size() + 2 + 3 * terms.size());
  key.push_back(a.constant);
  key.push_back(static_cast<std::int64_t>(terms.size()));
  for (const Term* term : terms) {
    key.push_back(term->coefficient);
    key.push_back(static_cast<std::int64_t>(term->factors.size()));
    const std::size_t from = key.size();
    key.insert(key.end(), term->factors.begin(), term->factors.end());
    std::sort(key.begin() + static_cast<std::ptrdiff_t>(from), key.end());
  }
}

std::vector<std::int64_t> key_of(const Polynomial& a) {
  std::vector<std::int64_t> key;
  add_key(key, a);
  return key;
}

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::int64_t floor_remainder(std::int64_t a, std::int64_t b) {
  const std::int64_t remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

std::int64_t content(const Polynomial& a) {
  std::uint64_t divisor = 0;
  for (const Term& term : a.terms) divisor = std::gcd(divisor, magnitude(term.coefficient));
  // 2^63 alone does not fit; 2^62 divides it and everything else that it divides.
  return static_cast<std::int64_t>(divisor >> 63 ? divisor >> 1 : divisor);
}

Polynomial tightened(const Polynomial& p) {
  const std::int64_t divisor = content(p);
  if (divisor <= 1) return p;
  Polynomial result = p;
  for (Term& term : result.terms) term.coefficient /= divisor;
  result.constant = floor_quotient(p.constant, divisor);
  return result;
}

bool divides(const Factors& divisor, const Factors& product) {
  if (divisor.size() > product.size()) return false;
  return std::all_of(divisor.begin(), divisor.end(), [&](AtomId factor) {
    return std::count(divisor.begin(), divisor.end(), factor) <=
           std::count(product.begin(), product.end(), factor);
  });
}

std::optional<Term> divide_exactly(const Term& a, const Term& b) {
  if (b.coefficient == 0 || b.coefficient == -1 || a.coefficient % b.coefficient != 0) return std::nullopt;
  if (!divides(b.factors, a.factors)) return std::nullopt;
  Term quotient{a.coefficient / b.coefficient, a.factors};
  for (const AtomId factor : b.factors)
    quotient.factors.erase(std::find(quotient.factors.begin(), quotient.factors.end(), factor));
  return quotient;
}

Term common_divisor(const Term& a, const Term& b) {
  const std::uint64_t divisor = std::gcd(magnitude(a.coefficient), magnitude(b.coefficient));
  Term common{static_cast<std::int64_t>(divisor >> 63 ? divisor >> 1 : divisor), {}};
  Factors left = a.factors;
  for (const AtomId factor : b.factors) {
    const auto it = std::find(left.begin(), left.end(), factor);
    if (it == left.end()) continue;
    left.erase(it);
    common.factors.push_back(factor);
  }
  return common;
}

int degree(const Polynomial& p, AtomId atom) {
  int highest = 0;
  for (const Term& term : p.terms)
    highest = std::max(highest, static_cast<int>(std::count(term.factors.begin(), term.factors.end(), atom)));
  return highest;
}

bool mentions(const Polynomial& p, AtomId atom) { return degree(p, atom) > 0; }

Linear split_linear(const Polynomial& p, AtomId atom) {
  Linear result;
  result.coefficient.overflow = result.rest.overflow = p.overflow;
  result.rest.constant = p.constant;
  result.rest.terms.reserve(p.terms.size());
  for (const Term& term : p.terms) {
    const auto it = std::find(term.factors.begin(), term.factors.end(), atom);
    if (it == term.factors.end()) {
      result.rest.terms.push_back(term);
      continue;
    }
    Term quotient = term;
    quotient.factors.erase(quotient.factors.begin() + (it - term.factors.begin()));
    add_to(result.coefficient, from_term(quotient));
  }
  return result;
}

Polynomial substitute(const Polynomial& p, AtomId atom, const Polynomial& value) {
  Polynomial result = constant_polynomial(p.constant);
  result.overflow = p.overflow;
  result.terms.reserve(p.terms.size() + value.terms.size());
  for (const Term& term : p.terms) {
    if (std::find(term.factors.begin(), term.factors.end(), atom) == term.factors.end()) {
      add_term(result, term);
      continue;
    }
    if (term.factors.size() == 1) {
      add_to(result, value, term.coefficient);
      continue;
    }
    Polynomial product = constant_polynomial(term.coefficient);
    for (const AtomId factor : term.factors)
      product = multiply(product, factor == atom ? value : atom_polynomial(factor));
    add_to(result, product);
  }
  return result;
}

Atoms atoms_in(const Polynomial& p) {
  Atoms atoms;
  for (const Term& term : p.terms)
    for (const AtomId factor : term.factors)
      if (std::find(atoms.begin(), atoms.end(), factor) == atoms.end()) atoms.push_back(factor);
  return atoms;
}

}  // namespace ardea::arith
