#include <algorithm>
#include <cmath>
#include <limits>

#include "ardea/arith/reasoner.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/support/error.h"
#include "ardea/support/format_type.h"

/// Integer expressions to polynomials. Sums and products of any integers are exact modulo 2^bits; all else
/// first asks for the ideal form of its operands, and stays as it is where there is none.

namespace ardea::arith {

namespace {

// Floats convert to integers by truncation; what does not fit saturates, and NaN is 0.
std::int64_t saturated(double value, DataType type) {
  if (std::isnan(value)) return 0;
  const double whole = std::trunc(value);
  if (type.bits == 64) {
    if (type.is_uint()) {
      if (whole <= 0) return 0;
      return static_cast<std::int64_t>(whole >= 0x1p64 ? ~std::uint64_t{0}
                                                       : static_cast<std::uint64_t>(whole));
    }
    if (whole >= 0x1p63) return std::numeric_limits<std::int64_t>::max();
    if (whole < -0x1p63) return std::numeric_limits<std::int64_t>::min();
    return static_cast<std::int64_t>(whole);
  }
  const Interval values = values_of(type);
  return static_cast<std::int64_t>(
      std::clamp(whole, static_cast<double>(values.low), static_cast<double>(values.high)));
}

bool too_large(const Polynomial& a, const Polynomial& b) {
  constexpr std::size_t most_terms = 64, most_factors = 8;
  const auto longest = [](const Polynomial& p) {
    std::size_t n = 0;
    for (const Term& term : p.terms) n = std::max(n, term.factors.size());
    return n;
  };
  return (a.terms.size() + 1) * (b.terms.size() + 1) > most_terms || longest(a) + longest(b) > most_factors;
}

}  // namespace

Polynomial Reasoner::normalise(const Expr& e) {
  if (const Polynomial* known = answers_.normalised.find(e)) return *known;
  Question::spend(4);
  ensure(e.type().is_integer(), "normalise: {} is not an integer type", e.type());
  Polynomial result = join_divisions(wrap(normalise_node(e), e.type().bits), e.type());
  answers_.normalised.set(e, result);
  return result;
}

Polynomial Reasoner::opaque(const Expr& e) {
  const AtomId id = opaque_atom(e);
  const Interval bounds = interval(id);
  return bounds.is_point() ? constant_polynomial(static_cast<std::int64_t>(bounds.low)) : atom_polynomial(id);
}

Polynomial Reasoner::of_compound(AtomKind kind, std::vector<Polynomial> operands, const Expr& expr) {
  const AtomId id = atoms_.compound(kind, std::move(operands), expr);
  const Interval bounds = interval(id);
  return bounds.is_point() ? constant_polynomial(static_cast<std::int64_t>(bounds.low)) : atom_polynomial(id);
}

Polynomial Reasoner::normalise_node(const Expr& e) {
  const DataType type = e.type();
  if (const auto* imm = e.as<IntImm>()) return constant_polynomial(imm->value);
  if (e.is<VarNode>()) {
    const AtomId id = variable_atom(Var(e));
    if (const VariableFacts* known = facts_of(id); known && known->value && known->value->is<VarNode>())
      return normalise(
          *known->value);  // a longer value stays behind its name: it was named to be computed once
    return opaque(e);
  }
  if (const auto* cast = e.as<Cast>()) return normalise_cast(e, *cast);
  if (const auto* unary = e.as<Unary>(); unary && unary->op == UnaryOp::negate)
    return scale(normalise(unary->operand), -1);
  if (const auto* binary = e.as<Binary>()) return normalise_binary(e, *binary);
  if (const auto* select = e.as<Select>())
    return normalise_choice(e, select->condition, select->when_true, select->when_false, false);
  if (const auto* call = e.as<Call>(); call && call->op->name == "if_then_else")
    return normalise_choice(e, call->arguments[0], call->arguments[1], call->arguments[2], true);
  if (const auto* call = e.as<Call>(); call && call->op->name == "likely")
    return normalise(call->arguments[0]);
  if (const auto* ramp = e.as<Ramp>()) {
    const Polynomial base = normalise(ramp->base), stride = normalise(ramp->stride);
    return add(base, normalise_product(stride, atom_polynomial(lane_atom(type.lanes)), type));
  }
  if (const auto* broadcast = e.as<Broadcast>()) return normalise(broadcast->value);
  if (const auto* let = e.as<Let>()) {
    const Expr simplified = simplify_let(e, *let);
    return simplified.is<Let>() ? opaque(simplified) : normalise(simplified);
  }
  return opaque(simplify_children(e));
}

Polynomial Reasoner::normalise_cast(const Expr& e, const Cast& cast) {
  const DataType to = e.type(), from = cast.value.type();
  if (from.is_bool()) {
    const Expr condition = simplify(cast.value);
    if (const auto value = constant_int(condition)) return constant_polynomial(*value);
    if (const auto* broadcast = condition.as<Broadcast>())
      if (const auto value = constant_int(broadcast->value)) return constant_polynomial(*value);
    return opaque(condition);  // an atom of type bool is 0 or 1; it prints as a cast
  }
  if (!from.is_integer()) {
    const Expr value = simplify(cast.value);
    if (const auto* imm = value.as<FloatImm>()) return constant_polynomial(saturated(imm->value, to));
    return opaque(make_cast(to, value));
  }
  // int4 cannot be computed with: the cast has to stay outside.
  if (to.is_storage_only()) return opaque(make_cast(to, simplify(cast.value)));
  const Polynomial value = normalise(cast.value);
  if (to.bits <= from.bits) return value;
  if (const auto exact = ideal(value, from)) return *exact;
  return opaque(make_cast(to, rebuild(value, from)));
}

Polynomial Reasoner::normalise_product(const Polynomial& a, const Polynomial& b, DataType type) {
  if (!too_large(a, b)) return multiply(a, b);
  const DataType used = type.element().with_lanes(std::max(lanes_of(a), lanes_of(b)));
  return opaque(make_binary(BinaryOp::mul, rebuild(a, used), rebuild(b, used)));
}

Polynomial Reasoner::normalise_binary(const Expr& e, const Binary& binary) {
  switch (binary.op) {
    // One statement each: what is met first gets the lower number, and compilers evaluate arguments in any
    // order.
    case BinaryOp::add: {
      const Polynomial left = normalise(binary.left);
      return add(left, normalise(binary.right));
    }
    case BinaryOp::sub: {
      const Polynomial left = normalise(binary.left);
      return subtract(left, normalise(binary.right));
    }
    case BinaryOp::mul: {
      const Polynomial left = normalise(binary.left);
      return normalise_product(left, normalise(binary.right), e.type());
    }
    case BinaryOp::shift_left: {
      const Polynomial amount = normalise(binary.right);
      if (amount.is_constant() && amount.constant >= 0 && amount.constant < e.type().bits)
        return scale(normalise(binary.left), static_cast<std::int64_t>(std::uint64_t{1} << amount.constant));
      return opaque(simplify_children(e));
    }
    case BinaryOp::shift_right:
    case BinaryOp::bit_and:
    case BinaryOp::bit_or:
    case BinaryOp::bit_xor: return normalise_bits(e, binary);
    case BinaryOp::floor_div:
    case BinaryOp::floor_mod:
    case BinaryOp::trunc_div:
    case BinaryOp::trunc_mod: return normalise_division(e, binary);
    case BinaryOp::min:
    case BinaryOp::max: return normalise_extremum(e, binary);
    default: return opaque(simplify_children(e));
  }
}

Polynomial Reasoner::normalise_bits(const Expr& e, const Binary& binary) {
  const auto left = ideal(normalise(binary.left), e.type()), right = ideal(normalise(binary.right), e.type());
  if (!left || !right || !left->is_constant() || !right->is_constant()) return opaque(simplify_children(e));
  const std::int64_t a = left->constant, b = right->constant;
  switch (binary.op) {
    case BinaryOp::bit_and: return constant_polynomial(a & b);
    case BinaryOp::bit_or: return constant_polynomial(a | b);
    case BinaryOp::bit_xor: return constant_polynomial(a ^ b);
    default: break;
  }
  // The ideal value of an unsigned number is not negative, so one shift serves both signs.
  return constant_polynomial(b < 0 || b >= e.type().bits ? (a < 0 ? -1 : 0) : a >> b);
}

Polynomial Reasoner::normalise_division(const Expr& e, const Binary& binary) {
  const DataType type = e.type();
  const Polynomial left = normalise(binary.left), right = normalise(binary.right);
  const bool wants_quotient = binary.op == BinaryOp::floor_div || binary.op == BinaryOp::trunc_div;
  if (right.is_constant() && right.constant == 1) return wants_quotient ? left : Polynomial{};
  const auto a = ideal(left, type), b = ideal(right, type);
  if (a && b)
    if (const auto result = signed_division(binary.op, *a, *b, type)) return *result;
  const DataType used = type.element().with_lanes(std::max(lanes_of(left), lanes_of(right)));
  return opaque(make_binary(binary.op, rebuild(left, used), rebuild(right, used)));
}

Polynomial Reasoner::normalise_choice(const Expr& e, const Expr& condition, const Expr& yes, const Expr& no,
                                      bool lazy) {
  const Expr simplified = simplify_choice(e, condition, yes, no, lazy);
  if (!simplified.is<Select>() && !simplified.is<Call>()) return normalise(simplified);
  std::vector<Polynomial> operands;
  const auto sides = [&]() -> std::pair<Expr, Expr> {
    if (const auto* select = simplified.as<Select>()) return {select->when_true, select->when_false};
    const auto* call = simplified.as<Call>();
    if (call->op->name == "if_then_else") return {call->arguments[1], call->arguments[2]};
    return {};
  }();
  if (!sides.first.defined()) return normalise(simplified);
  for (const Expr& side : {sides.first, sides.second})
    if (const auto exact = ideal(normalise(side), side.type())) operands.push_back(*exact);
  if (operands.size() < 2) return opaque(simplified);
  return of_compound(AtomKind::choice, std::move(operands), simplified);
}

Polynomial Reasoner::normalise_extremum(const Expr& e, const Binary& binary) {
  const DataType type = e.type();
  const Polynomial left = normalise(binary.left), right = normalise(binary.right);
  const auto a = ideal(left, type), b = ideal(right, type);
  if (a && b)
    return extremum(binary.op == BinaryOp::min ? AtomKind::minimum : AtomKind::maximum, {*a, *b}, type);
  if (same(left, right)) return left;
  const DataType used = type.element().with_lanes(std::max(lanes_of(left), lanes_of(right)));
  return opaque(make_binary(binary.op, rebuild(left, used), rebuild(right, used)));
}

Polynomial Reasoner::extremum(AtomKind kind, const std::vector<Polynomial>& values, DataType type) {
  const bool least = kind == AtomKind::minimum;
  const auto dominated = [&](const Polynomial& a, const Polynomial& by) {
    return least ? at_most(by, a) : at_most(a, by);
  };
  std::vector<Polynomial> operands;
  const auto insert = [&](const Polynomial& p) {
    if (std::any_of(operands.begin(), operands.end(), [&](const Polynomial& q) { return dominated(p, q); }))
      return;
    std::erase_if(operands, [&](const Polynomial& q) { return dominated(q, p); });
    operands.push_back(p);
  };
  for (const Polynomial& p : values) {
    const bool nested = p.terms.size() == 1 && p.constant == 0 && p.terms[0].coefficient == 1 &&
                        p.terms[0].factors.size() == 1 && atom(p.terms[0].factors[0]).kind == kind;
    if (!nested)
      insert(p);
    else
      for (const Polynomial& inner : atom(p.terms[0].factors[0]).operands) insert(inner);
  }
  if (operands.size() == 1) return operands[0];
  int lanes = 1;
  for (const Polynomial& p : operands) lanes = std::max(lanes, lanes_of(p));
  const DataType used = type.element().with_lanes(lanes);
  Expr expr = rebuild(operands[0], used);
  for (std::size_t i = 1; i < operands.size(); ++i)
    expr = make_binary(least ? BinaryOp::min : BinaryOp::max, expr, rebuild(operands[i], used));
  return of_compound(kind, std::move(operands), expr);
}

Polynomial Reasoner::join_divisions(Polynomial p, DataType type) {
  for (const AtomId id : atoms_in(p)) {
    const Atom& a = atom(id);
    if (a.kind != AtomKind::quotient && a.kind != AtomKind::remainder) continue;
    if (degree(p, id) != 1) continue;
    const Polynomial &dividend = a.operands[0], &divisor = a.operands[1];
    const auto [coefficient, rest] = split_linear(p, id);
    if (a.kind == AtomKind::quotient) {
      // c · m · (x // m) = c · (x - r) where x % m is the constant r.
      if (!divisor.is_constant()) continue;
      const Congruence c = congruence(dividend);
      if (c.multiple % divisor.constant != 0) continue;
      const std::int64_t g = content(coefficient);
      if (g % divisor.constant != 0 || coefficient.constant % divisor.constant != 0) continue;
      Polynomial share = coefficient;
      for (Term& term : share.terms) term.coefficient /= divisor.constant;
      share.constant /= divisor.constant;
      const std::int64_t r = floor_remainder(c.remainder, divisor.constant);
      return join_divisions(
          wrap(add(rest, multiply(share, add(dividend, constant_polynomial(-r)))), type.bits), type);
    }
    // Asked for every sum that the remainder is part of.
    const std::tuple<AtomId, int, bool> key{id, type.bits, type.is_uint()};
    auto known = answers_.wholes.find(key);
    if (known == answers_.wholes.end())
      known = answers_.wholes.emplace(key, quotient(dividend, divisor, type)).first;
    const std::optional<Polynomial>& whole = known->second;
    if (!whole || whole->terms.size() != 1 || whole->constant != 0) continue;
    // coefficient · divisor · whole must be in the rest, term for term.
    const Polynomial share = wrap(multiply(multiply(coefficient, divisor), *whole), type.bits);
    const bool present = std::all_of(share.terms.begin(), share.terms.end(), [&](const Term& term) {
      return std::any_of(rest.terms.begin(), rest.terms.end(), [&](const Term& mine) {
        return mine.coefficient == term.coefficient && same_factors(mine.factors, term.factors);
      });
    });
    if (!present || share.terms.empty()) continue;
    return join_divisions(wrap(add(subtract(rest, share), multiply(coefficient, dividend)), type.bits), type);
  }
  return p;
}

}  // namespace ardea::arith
