#include <algorithm>
#include <cstdlib>

#include "ardea/arith/reasoner.h"
#include "ardea/arith/regions_conditions.h"
#include "ardea/ir/intrinsics.h"

/// Conditions: their proofs, and what may be concluded once they are assumed.

namespace ardea::arith {

namespace {

Proof opposite(Proof p) {
  return p == Proof::unknown ? p : p == Proof::proved ? Proof::refuted : Proof::proved;
}

/// What p >= 0 says of its heavy terms alone. For p = q + r, where a divisor g > 1 divides the coefficients
/// of q and r <= b for a constant b: 0 <= p <= q + b, and the terms of q are multiples of g, so that q / g,
/// its constant rounded down, is not negative, either. From 96·x + 4·y + z < 4096 with z >= 0 follows 24·x +
/// y <= 1023: without the last step, which is lost where z stays in the sum. Not where one term is left: that
/// is its interval.
std::vector<Polynomial> heavy_parts(const Polynomial& p, Reasoner& reasoner) {
  constexpr std::size_t most = 3;
  std::vector<Polynomial> parts;
  std::vector<std::int64_t> tried = {1};
  for (const Term& heavy : p.terms) {
    if (heavy.coefficient == INT64_MIN) return {};
    const std::int64_t divisor = std::abs(heavy.coefficient);
    if (parts.size() == most) break;
    if (std::find(tried.begin(), tried.end(), divisor) != tried.end()) continue;
    tried.push_back(divisor);
    Polynomial kept = constant_polynomial(p.constant), light;
    for (const Term& term : p.terms) {
      Polynomial& side = term.coefficient % divisor == 0 ? kept : light;
      side = add(side, from_term(term));
    }
    if (kept.terms.size() < 2 || light.terms.empty()) continue;
    const Interval bounds = reasoner.interval(light);
    const auto most_of_it = high_of(bounds);
    if (most_of_it) parts.push_back(tightened(add(kept, constant_polynomial(*most_of_it))));
  }
  return parts;
}

}  // namespace

Proof Reasoner::decide(const Expr& condition) {
  if (const auto value = constant_truth(condition)) return *value ? Proof::proved : Proof::refuted;
  if (const Proof* known = answers_.decided.find(condition)) return *known;
  const Proof proof = decide_node(condition);
  answers_.decided.set(condition, proof);
  return proof;
}

Proof Reasoner::decide_node(const Expr& condition) {
  if (const auto* unary = condition.as<Unary>()) return opposite(decide(unary->operand));
  if (const auto* call = condition.as<Call>(); call && call->op->name == "likely")
    return decide(call->arguments[0]);
  const auto* binary = condition.as<Binary>();
  if (binary && is_comparison(binary->op) && binary->left.type().is_integer())
    return decide_comparison(binary->op, binary->left, binary->right);
  if (binary && (binary->op == BinaryOp::logical_and || binary->op == BinaryOp::logical_or)) {
    const bool conjunction = binary->op == BinaryOp::logical_and;
    const Proof settles = conjunction ? Proof::refuted : Proof::proved;  // one side alone may settle it
    const Proof left = decide(binary->left), right = decide(binary->right);
    if (left == settles || right == settles) return settles;
    if (left == opposite(settles)) return right;
    if (right == opposite(settles)) return left;
  }
  const auto value = constant_truth(simplify(condition));
  return !value ? Proof::unknown : *value ? Proof::proved : Proof::refuted;
}

Proof Reasoner::decide_comparison(BinaryOp op, const Expr& left, const Expr& right) {
  const DataType type = left.type();
  if (type.is_storage_only()) return Proof::unknown;
  const Polynomial a = normalise(left), b = normalise(right);
  if (const Polynomial d = wrap(subtract(a, b), type.bits); d.is_constant()) {
    const bool equal = d.constant == 0;
    if (op == BinaryOp::eq) return equal ? Proof::proved : Proof::refuted;
    if (op == BinaryOp::ne) return equal ? Proof::refuted : Proof::proved;
    if (equal) return op == BinaryOp::le || op == BinaryOp::ge ? Proof::proved : Proof::refuted;
  }
  const auto x = ideal(a, type), y = ideal(b, type);
  return x && y ? compare(op, subtract(*x, *y)) : Proof::unknown;
}

Proof Reasoner::compare(BinaryOp op, const Polynomial& difference) {
  if (difference.overflow) return Proof::unknown;
  const Polynomial minus = scale(difference, -1);
  const auto answer = [](bool proved, bool refuted) {
    return proved ? Proof::proved : refuted ? Proof::refuted : Proof::unknown;
  };
  switch (op) {
    case BinaryOp::lt: return positive(minus) ? Proof::proved : answer(false, nonnegative(difference));
    case BinaryOp::le: return nonnegative(minus) ? Proof::proved : answer(false, positive(difference));
    case BinaryOp::gt: return positive(difference) ? Proof::proved : answer(false, nonnegative(minus));
    case BinaryOp::ge: return nonnegative(difference) ? Proof::proved : answer(false, positive(minus));
    case BinaryOp::ne: return opposite(compare(BinaryOp::eq, difference));
    default: break;
  }
  // equality
  const Congruence c = congruence(difference);
  if (c.multiple == 0) return answer(c.remainder == 0, c.remainder != 0);
  if (c.remainder != 0 || positive(difference) || positive(minus)) return Proof::refuted;
  return answer(nonnegative(difference) && nonnegative(minus), false);
}

void Reasoner::assume(const Expr& condition, bool holds) {
  if (!condition.type().is_scalar() || constant_truth(condition)) return;
  if (const auto* unary = condition.as<Unary>()) return assume(unary->operand, !holds);
  if (const auto* call = condition.as<Call>(); call && call->op->name == "likely")
    return assume(call->arguments[0], holds);
  const auto* binary = condition.as<Binary>();
  const BinaryOp splits = holds ? BinaryOp::logical_and : BinaryOp::logical_or;
  if (binary && binary->op == splits) {
    for (const Expr& part : holds ? conjuncts(condition) : conjuncts_of_negation(condition))
      assume(part, true);
    return;
  }
  if (binary && is_comparison(binary->op) && binary->left.type().is_integer() &&
      !binary->left.type().is_storage_only()) {
    const DataType type = binary->left.type();
    const auto a = ideal(normalise(binary->left), type), b = ideal(normalise(binary->right), type);
    if (a && b) return assume_comparison(holds ? binary->op : negated(binary->op), subtract(*a, *b));
  }
  understood_.truths.emplace_back(simplify(condition), holds);
}

void Reasoner::assume_comparison(BinaryOp op, const Polynomial& difference) {
  const auto add_fact = [&](const Polynomial& p) {
    Polynomial fact = tightened(p);
    if (fact.overflow || fact.is_constant() || interval(fact).low >= 0) return;
    const auto keep = [&](const Polynomial& q) {
      understood_.assumptions.own().push_back(q);
      for (const Polynomial& part : heavy_parts(q, *this))
        if (!part.overflow && interval(part).low < 0) understood_.assumptions.own().push_back(part);
    };
    keep(fact);
    // The same without quotients, for proofs about what they divide.
    for (auto next = without_quotient(fact); next; next = without_quotient(fact)) {
      fact = tightened(*next);
      if (fact.overflow) break;
      keep(fact);
    }
    answers_.intervals.clear();
    answers_.congruences.clear();
    answers_.signs.clear();
  };
  const Polynomial minus = scale(difference, -1);
  const Polynomial less_one = add(difference, constant_polynomial(-1)),
                   minus_less_one = add(minus, constant_polynomial(-1));
  switch (op) {
    case BinaryOp::lt: return add_fact(minus_less_one);
    case BinaryOp::le: return add_fact(minus);
    case BinaryOp::gt: return add_fact(less_one);
    case BinaryOp::ge: return add_fact(difference);
    case BinaryOp::ne:
      if (nonnegative(difference)) return add_fact(less_one);
      if (nonnegative(minus)) return add_fact(minus_less_one);
      return;
    default: break;
  }
  add_fact(difference);
  add_fact(minus);
  assume_residue(difference);
  assume_equal_products(difference);
}

/// What holds exactly where r ± a // b >= 0 does: r·b + a >= 0, or r·b + b - 1 - a >= 0. Nothing where p has
/// no such quotient.
std::optional<Polynomial> Reasoner::without_quotient(const Polynomial& p) {
  for (const AtomId id : atoms_in(p)) {
    if (!is_unit_quotient(p, id)) continue;
    const auto [coefficient, rest] = split_linear(p, id);
    const Polynomial &dividend = atom(id).operands[0], &divisor = atom(id).operands[1];
    if (coefficient.constant > 0) return add(multiply(rest, divisor), dividend);
    return subtract(add(multiply(rest, divisor), add(divisor, constant_polynomial(-1))), dividend);
  }
  return std::nullopt;
}

// x % m - r = 0: x leaves r.
void Reasoner::assume_residue(const Polynomial& zero) {
  if (zero.terms.size() != 1 || zero.terms[0].factors.size() != 1) return;
  const std::int64_t sign = zero.terms[0].coefficient;
  if (sign != 1 && sign != -1) return;
  const Atom& a = atom(zero.terms[0].factors[0]);
  if (a.kind != AtomKind::remainder || !a.operands[1].is_constant()) return;
  const std::int64_t modulus = a.operands[1].constant;
  const Polynomial remainder =
      subtract(scale(constant_polynomial(zero.constant), -sign), constant_polynomial(a.operands[0].constant));
  if (remainder.overflow) return;
  understood_.residues.emplace_back(subtract(a.operands[0], constant_polynomial(a.operands[0].constant)),
                                    Congruence{modulus, floor_remainder(remainder.constant, modulus)});
}

}  // namespace ardea::arith
