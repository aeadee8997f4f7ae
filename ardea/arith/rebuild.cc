#include <algorithm>

#include "ardea/arith/reasoner.h"
#include "ardea/support/error.h"

/// Polynomials back to expressions: added terms first, in their order, then the subtracted ones, then the
/// constant; coefficients on the right: i * 4 + j * n - k + 3.

namespace ardea::arith {

namespace {

// Coefficients are kept in the signed range; an unsigned constant prints as the number that it is.
Expr constant(std::int64_t value, DataType type) {
  if (type.is_uint() && type.bits < 64) value &= (std::int64_t{1} << type.bits) - 1;
  return make_int(value, type);
}

bool subtracts(std::int64_t coefficient, DataType type) {
  // The least number of a type has no counterpart to subtract.
  return coefficient < 0 && (static_cast<std::uint64_t>(coefficient) << (64 - type.bits)) != std::uint64_t{1}
                                                                                                 << 63;
}

struct Summand {
  std::int64_t coefficient;
  Expr product;  ///< without the coefficient; empty means 1
};

Expr scaled(const Expr& product, std::int64_t coefficient, DataType type) {
  if (!product.defined()) return constant(coefficient, type);
  if (coefficient == 1) return product;
  return make_binary(BinaryOp::mul, product, constant(coefficient, type));
}

Expr sum(const std::vector<Summand>& summands, std::int64_t last, DataType type) {
  Expr result;
  const auto append = [&](BinaryOp op, const Expr& e) {
    result = result.defined() ? make_binary(op, result, e) : e;
  };
  for (const Summand& s : summands)
    if (!subtracts(s.coefficient, type)) append(BinaryOp::add, scaled(s.product, s.coefficient, type));
  bool constant_done = last == 0;
  if (!result.defined() && last != 0 && !subtracts(last, type)) {
    append(BinaryOp::add, constant(last, type));
    constant_done = true;
  }
  for (const Summand& s : summands) {
    if (!subtracts(s.coefficient, type)) continue;
    if (result.defined())
      append(BinaryOp::sub, scaled(s.product, -s.coefficient, type));
    else
      append(BinaryOp::add, scaled(s.product, s.coefficient, type));
  }
  if (!result.defined()) return constant(last, type);
  if (constant_done) return result;
  const bool minus = subtracts(last, type);
  return make_binary(minus ? BinaryOp::sub : BinaryOp::add, result, constant(minus ? -last : last, type));
}

}  // namespace

Expr Reasoner::rebuild(const Polynomial& unwrapped, DataType type) {
  const Polynomial p = wrap(unwrapped, type.bits);
  Question::spend(1 + static_cast<std::int64_t>(p.terms.size()));
  const DataType scalar = type.element();
  const auto factor = [&](AtomId id, DataType as) {
    const Atom& a = atom(id);
    const Expr e =
        a.kind == AtomKind::lane ? make_ramp(constant(0, scalar), constant(1, scalar), a.lanes) : a.expr;
    const Expr typed = make_cast(scalar.with_lanes(a.lanes), e);
    return a.lanes == as.lanes ? typed : make_broadcast(typed, as.lanes);
  };
  const auto product = [&](const Factors& factors, DataType as) {
    Expr result;
    for (const AtomId id : factors)
      result = result.defined() ? make_binary(BinaryOp::mul, result, factor(id, as)) : factor(id, as);
    return result;
  };
  if (type.is_scalar()) {
    std::vector<Summand> summands;
    for (const Term& term : p.terms) summands.push_back({term.coefficient, product(term.factors, type)});
    return sum(summands, p.constant, type);
  }
  // What is affine in the lane becomes one ramp, or one broadcast.
  Polynomial base = constant_polynomial(p.constant), stride;
  std::vector<Summand> summands;
  for (const Term& term : p.terms) {
    Factors scalars;
    std::copy_if(term.factors.begin(), term.factors.end(), std::back_inserter(scalars),
                 [&](AtomId id) { return atom(id).lanes == 1; });
    const std::size_t vectors = term.factors.size() - scalars.size();
    const bool by_lane =
        vectors == 1 && std::any_of(term.factors.begin(), term.factors.end(),
                                    [&](AtomId id) { return atom(id).kind == AtomKind::lane; });
    if (vectors == 0)
      base = add(base, from_term(term));
    else if (by_lane)
      stride = add(stride, from_term({term.coefficient, scalars}));
    else
      summands.push_back({term.coefficient, product(term.factors, type)});
  }
  Expr result;
  if (!stride.is_zero())
    result = make_ramp(rebuild(base, scalar), rebuild(stride, scalar), type.lanes);
  else if (!base.is_zero() || summands.empty())
    result = make_broadcast(rebuild(base, scalar), type.lanes);
  for (const Summand& s : summands) {
    Expr term = s.product;
    const bool minus = result.defined() && subtracts(s.coefficient, scalar);
    const std::int64_t coefficient = minus ? -s.coefficient : s.coefficient;
    if (coefficient != 1)
      term = make_binary(BinaryOp::mul, term, make_broadcast(constant(coefficient, scalar), type.lanes));
    result = result.defined() ? make_binary(minus ? BinaryOp::sub : BinaryOp::add, result, term) : term;
  }
  return result;
}

}  // namespace ardea::arith
