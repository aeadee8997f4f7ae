#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "ardea/support/small_vector.h"

/// The normal form of integer expressions: a polynomial with integer coefficients over atoms (variables, and
/// divisions, minima, loads … that did not simplify). What an atom is, the Reasoner knows; here it is a
/// number.

namespace ardea::arith {

using AtomId = int;
/// Nearly all terms of index arithmetic have one factor, or a symbolic extent or two beside it.
using Factors = SmallVector<AtomId, 4>;

/// coefficient · Π factors. The factors keep the order in which they were multiplied, for people; a power
/// repeats them.
struct Term {
  std::int64_t coefficient = 0;
  Factors factors;
};

/// Σ terms + constant: no two terms have the same factors, no coefficient is 0. The terms keep the order of
/// first appearance, so that a sum prints as it was written.
struct Polynomial {
  std::vector<Term> terms = {};
  std::int64_t constant = 0;
  /// Some coefficient left the 64 bits: the polynomial is then right modulo 2^64 only, and proves nothing.
  bool overflow = false;

  bool is_constant() const { return terms.empty(); }
  bool is_zero() const { return terms.empty() && constant == 0; }
};

Polynomial constant_polynomial(std::int64_t value);
Polynomial atom_polynomial(AtomId atom);

/// a + b · factor
Polynomial add(const Polynomial& a, const Polynomial& b, std::int64_t factor = 1);
Polynomial subtract(const Polynomial& a, const Polynomial& b);
Polynomial multiply(const Polynomial& a, const Polynomial& b);
Polynomial scale(const Polynomial& a, std::int64_t factor);

/// Every coefficient reduced modulo 2^bits to [-2^(bits-1), 2^(bits-1)): the value of an integer of that
/// width is known modulo 2^bits, so this loses nothing.
Polynomial wrap(Polynomial a, int bits);

bool same_factors(const Factors& a, const Factors& b);
/// Equal as functions of the atoms, whatever the order of the terms.
bool same(const Polynomial& a, const Polynomial& b);
/// Equal polynomials have equal keys, others have others.
std::vector<std::int64_t> key_of(const Polynomial& a);
/// The same at the end of another key: no key is the beginning of another one.
void add_key(std::vector<std::int64_t>& key, const Polynomial& a);

std::int64_t floor_quotient(std::int64_t a, std::int64_t b);   ///< b is neither 0 nor (-1 with the least a)
std::int64_t floor_remainder(std::int64_t a, std::int64_t b);  ///< the same
/// Greatest common divisor of the coefficients, without the constant; 0 where there are no terms.
std::int64_t content(const Polynomial& a);
/// p >= 0 exactly where the result is: the terms divided by their common divisor, the constant rounded down.
Polynomial tightened(const Polynomial& p);

/// Whether every factor of the one is one of the other, as often as it is there.
bool divides(const Factors& divisor, const Factors& product);
/// a / b where b divides it, as (coefficient, factors).
std::optional<Term> divide_exactly(const Term& a, const Term& b);
/// The largest common divisor of two terms; positive coefficient.
Term common_divisor(const Term& a, const Term& b);
Polynomial from_term(const Term& t);

int degree(const Polynomial& p, AtomId atom);
bool mentions(const Polynomial& p, AtomId atom);
/// p = coefficient · atom + rest; requires degree(p, atom) <= 1.
struct Linear {
  Polynomial coefficient, rest;
};
Linear split_linear(const Polynomial& p, AtomId atom);
Polynomial substitute(const Polynomial& p, AtomId atom, const Polynomial& value);
/// In order of first appearance, once each.
using Atoms = SmallVector<AtomId, 8>;
Atoms atoms_in(const Polynomial& p);

}  // namespace ardea::arith
