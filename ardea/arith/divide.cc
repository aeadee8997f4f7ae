#include <algorithm>
#include <map>

#include "ardea/arith/reasoner.h"

/// Floor division and modulo by a positive b. One rule a function; tests/arith/division_rules.cc has a row
/// for each.

namespace ardea::arith {

namespace {

// a = whole · b + rest, by the terms of a that the leading term of b divides; a constant b also splits the
// constant.
struct Parts {
  Polynomial whole, rest;
};

Parts split(const Polynomial& a, const Polynomial& b) {
  Parts parts{{}, a};
  if (b.is_constant()) {
    parts.rest = constant_polynomial(floor_remainder(a.constant, b.constant));
    parts.whole = constant_polynomial(floor_quotient(a.constant, b.constant));
    for (const Term& term : a.terms) {
      const bool divisible = term.coefficient % b.constant == 0;
      Polynomial part{{term}};
      if (divisible) part.terms[0].coefficient /= b.constant;
      (divisible ? parts.whole : parts.rest) = add(divisible ? parts.whole : parts.rest, part);
    }
    return parts;
  }
  for (const Term& term : a.terms) {
    const auto factor = divide_exactly(term, b.terms[0]);
    if (!factor) continue;
    parts.whole = add(parts.whole, from_term(*factor));
    parts.rest = subtract(parts.rest, multiply(from_term(*factor), b));
  }
  return parts;
}

std::optional<Polynomial> polynomial_quotient(const Polynomial& a, const Polynomial& b) {
  if (b.is_constant() && b.constant == 0) return std::nullopt;
  const Parts parts = split(a, b);
  return parts.rest.is_zero() && !parts.whole.overflow ? std::optional(parts.whole) : std::nullopt;
}

// The divisors g of b that may be taken out of a: those shared with some term of a.
std::vector<Term> shared_divisors(const Polynomial& a, const Polynomial& b) {
  Term whole{b.constant, {}};
  if (!b.is_constant()) {
    if (b.terms.size() > 1 || b.constant != 0) return {};
    whole = b.terms[0];
  }
  std::vector<Term> divisors;
  for (const Term& term : a.terms) {
    const Term g = common_divisor(term, whole);
    if (g.coefficient <= 1 && g.factors.empty()) continue;
    const bool known = std::any_of(divisors.begin(), divisors.end(), [&](const Term& d) {
      return d.coefficient == g.coefficient && same_factors(d.factors, g.factors);
    });
    if (!known) divisors.push_back(g);
  }
  // Larger ones first: they leave the smaller problem.
  std::stable_sort(divisors.begin(), divisors.end(), [](const Term& x, const Term& y) {
    return std::pair(x.factors.size(), x.coefficient) > std::pair(y.factors.size(), y.coefficient);
  });
  if (divisors.size() > 4) divisors.resize(4);
  return divisors;
}

// The atom where p is that atom alone plus a constant.
std::optional<AtomId> lone_atom(const Polynomial& p) {
  if (p.terms.size() != 1 || p.terms[0].coefficient != 1 || p.terms[0].factors.size() != 1)
    return std::nullopt;
  return p.terms[0].factors[0];
}

}  // namespace

/// a in [k·b, (k+1)·b) for a constant k.
std::optional<std::int64_t> Reasoner::constant_quotient(const Polynomial& a, const Polynomial& b) {
  if (b.is_constant()) {
    const Interval bounds = interval(a);
    if (bounds.has_low() && bounds.has_high()) {
      const Interval quotients = floor_divide(bounds, {b.constant, b.constant});
      if (quotients.is_point()) return static_cast<std::int64_t>(quotients.low);
    }
  }
  if (nonnegative(a) && at_most(a, add(b, constant_polynomial(-1)))) return 0;
  return std::nullopt;
}

/// a = g · s + t with 0 <= t < g, for a divisor g of b: a // b = s // (b / g), a % b = g · (s % (b / g)) + t.
std::optional<Reasoner::Factored> Reasoner::factor_out(const Polynomial& a, const Polynomial& b) {
  for (const Term& g : shared_divisors(a, b)) {
    const Polynomial divisor = from_term(g);
    if (!std::all_of(g.factors.begin(), g.factors.end(), [&](AtomId id) { return interval(id).low >= 1; }))
      continue;
    const Parts parts = split(a, divisor);
    if (!constant_quotient(parts.rest, divisor) || *constant_quotient(parts.rest, divisor) != 0) continue;
    const auto smaller = polynomial_quotient(b, divisor);
    if (smaller) return Factored{divisor, parts.whole, parts.rest, *smaller};
  }
  return std::nullopt;
}

std::optional<Polynomial> Reasoner::division_atom(AtomKind kind, const Polynomial& a, const Polynomial& b,
                                                  DataType type) {
  const DataType scalar = type.element();
  if (!fits(a, scalar) || !fits(b, scalar)) return std::nullopt;
  const DataType used = scalar.with_lanes(std::max(lanes_of(a), lanes_of(b)));
  const BinaryOp op = kind == AtomKind::quotient ? BinaryOp::floor_div : BinaryOp::floor_mod;
  return of_compound(kind, {a, b}, make_binary(op, rebuild(a, used), rebuild(b, used)));
}

std::optional<Polynomial> Reasoner::quotient(const Polynomial& a, const Polynomial& b, DataType type) {
  const auto [whole, rest] = split(a, b);
  if (whole.overflow || rest.overflow) return std::nullopt;
  const auto plus_whole = [&whole](std::optional<Polynomial> q) {
    return q ? std::optional(add(whole, *q)) : std::nullopt;
  };
  if (const auto k = constant_quotient(rest, b)) return add(whole, constant_polynomial(*k));
  if (const auto f = factor_out(rest, b)) return plus_whole(quotient(f->whole, f->divisor, type));
  if (const auto id = lone_atom(rest)) {
    const Atom& inner = atom(*id);
    if (inner.kind == AtomKind::quotient) {  // (x // c + k) // b = (x + k · c) // (b · c)
      const Polynomial& c = inner.operands[1];
      const Polynomial dividend = add(inner.operands[0], c, rest.constant), divisor = multiply(c, b);
      if (fits(dividend, type.element()) && fits(divisor, type.element()))
        return plus_whole(quotient(dividend, divisor, type));
    }
    if (inner.kind == AtomKind::remainder && rest.constant == 0)  // (x % (b · c)) // b = (x // b) % c
      if (const auto c = polynomial_quotient(inner.operands[1], b))
        if (const auto q = quotient(inner.operands[0], b, type); q && fits(*q, type.element()))
          return plus_whole(remainder(*q, *c, type));
  }
  return plus_whole(division_atom(AtomKind::quotient, rest, b, type));
}

std::optional<Polynomial> Reasoner::remainder(const Polynomial& a, const Polynomial& b, DataType type) {
  Polynomial rest = split(a, b).rest;
  // (x % (b · c)) % b = x % b, also for a multiple of the inner remainder.
  for (bool changed = true; changed;) {
    changed = false;
    for (const AtomId id : atoms_in(rest)) {
      const Atom& inner = atom(id);
      if (inner.kind != AtomKind::remainder || degree(rest, id) != 1) continue;
      if (!polynomial_quotient(multiply(split_linear(rest, id).coefficient, inner.operands[1]), b)) continue;
      rest = split(substitute(rest, id, inner.operands[0]), b).rest;
      changed = true;
      break;
    }
  }
  if (rest.overflow) return std::nullopt;
  if (const auto k = constant_quotient(rest, b)) return add(rest, b, -*k);
  if (b.is_constant())
    if (const Congruence c = congruence(rest); c.multiple % b.constant == 0)
      return constant_polynomial(floor_remainder(c.remainder, b.constant));
  if (const auto f = factor_out(rest, b)) {
    const auto inner = remainder(f->whole, f->divisor, type);
    return inner ? std::optional(add(multiply(*inner, f->factor), f->rest)) : std::nullopt;
  }
  return division_atom(AtomKind::remainder, rest, b, type);
}

std::optional<Polynomial> Reasoner::signed_division(BinaryOp op, const Polynomial& a, const Polynomial& b,
                                                    DataType type) {
  const bool wants_quotient = op == BinaryOp::floor_div || op == BinaryOp::trunc_div;
  const bool truncates = op == BinaryOp::trunc_div || op == BinaryOp::trunc_mod;
  const auto divide = [&](const Polynomial& x, const Polynomial& y) -> std::optional<Polynomial> {
    if (!fits(x, type.element()) || !fits(y, type.element())) return std::nullopt;
    return wants_quotient ? quotient(x, y, type) : remainder(x, y, type);
  };
  const auto negate = [](std::optional<Polynomial> p) {
    return p ? std::optional(scale(*p, -1)) : std::nullopt;
  };
  const Polynomial minus_a = scale(a, -1), minus_b = scale(b, -1);
  const bool by_positive = positive(b);
  if (!by_positive && !positive(minus_b)) return std::nullopt;
  if (!truncates) {  // a // -b = (-a) // b and a % -b = -((-a) % b)
    if (by_positive) return divide(a, b);
    return wants_quotient ? divide(minus_a, minus_b) : negate(divide(minus_a, minus_b));
  }
  // Truncation works on magnitudes: the quotient has the product of the signs, the remainder the dividend's
  // sign.
  const Polynomial& magnitude_b = by_positive ? b : minus_b;
  if (nonnegative(a)) {
    const auto result = divide(a, magnitude_b);
    return wants_quotient && !by_positive ? negate(result) : result;
  }
  if (!nonnegative(minus_a)) return std::nullopt;
  const auto result = divide(minus_a, magnitude_b);
  return wants_quotient && !by_positive ? result : negate(result);
}

}  // namespace ardea::arith
