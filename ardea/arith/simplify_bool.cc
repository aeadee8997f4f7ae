#include "ardea/arith/reasoner.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"

namespace ardea::arith {

BinaryOp negated(BinaryOp op) {
  switch (op) {
    case BinaryOp::eq: return BinaryOp::ne;
    case BinaryOp::ne: return BinaryOp::eq;
    case BinaryOp::lt: return BinaryOp::ge;
    case BinaryOp::ge: return BinaryOp::lt;
    case BinaryOp::gt: return BinaryOp::le;
    default: return BinaryOp::gt;
  }
}

BinaryOp mirrored(BinaryOp op) {
  switch (op) {
    case BinaryOp::lt: return BinaryOp::gt;
    case BinaryOp::gt: return BinaryOp::lt;
    case BinaryOp::le: return BinaryOp::ge;
    case BinaryOp::ge: return BinaryOp::le;
    default: return op;
  }
}

namespace {

template <class T>
bool holds(BinaryOp op, T a, T b) {
  switch (op) {
    case BinaryOp::eq: return a == b;
    case BinaryOp::ne: return a != b;
    case BinaryOp::lt: return a < b;
    case BinaryOp::le: return a <= b;
    case BinaryOp::gt: return a > b;
    default: return a >= b;
  }
}

const FloatImm* float_constant(const Expr& e) {
  if (const auto* broadcast = e.as<Broadcast>()) return broadcast->value.as<FloatImm>();
  return e.as<FloatImm>();
}

}  // namespace

Expr Reasoner::simplify_bool(const Expr& e) {
  Expr result;
  if (const auto* unary = e.as<Unary>()) {
    const Expr operand = simplify(unary->operand);
    if (const auto value = constant_truth(operand)) return truth(!*value, e.type());
    const auto* inner = operand.as<Unary>();
    if (inner && inner->op == UnaryOp::logical_not) return inner->operand;
    const auto* compared = operand.as<Binary>();
    const bool exact =
        compared && is_comparison(compared->op) &&
        (!compared->left.type().is_float() || compared->op == BinaryOp::eq || compared->op == BinaryOp::ne);
    // A float comparison with NaN is false, and so is its opposite: only == and != are each other's negation.
    if (exact) return simplify(make_binary(negated(compared->op), compared->left, compared->right));
    result = operand == unary->operand ? e : logical_not(operand);
  } else if (const auto* binary = e.as<Binary>()) {
    result = is_comparison(binary->op) ? simplify_comparison(e, *binary) : simplify_connective(e, *binary);
  } else if (const auto* select = e.as<Select>()) {
    result = simplify_choice(e, select->condition, select->when_true, select->when_false, false);
  } else if (const auto* let = e.as<Let>()) {
    result = simplify_let(e, *let);
  } else if (const auto* call = e.as<Call>(); call && call->op->name == "if_then_else") {
    result = simplify_choice(e, call->arguments[0], call->arguments[1], call->arguments[2], true);
  } else {
    result = simplify_children(e);
    if (const auto* hint = result.as<Call>();
        hint && hint->op->name == "likely" && constant_truth(hint->arguments[0]))
      return hint->arguments[0];
    if (const auto* cast = result.as<Cast>())
      if (const auto value = constant_int(cast->value)) return truth(*value != 0, e.type());
  }
  if (constant_truth(result)) return result;
  if (const auto known = assumed_truth(result)) return truth(*known, e.type());
  return result;
}

Expr Reasoner::simplify_connective(const Expr& e, const Binary& binary) {
  const bool conjunction = binary.op == BinaryOp::logical_and;
  if (!conjunction && binary.op != BinaryOp::logical_or) {  // & | ^ on bools
    const Expr result = simplify_children(e);
    const auto* parts = result.as<Binary>();
    const auto a = parts ? constant_truth(parts->left) : std::nullopt;
    const auto b = parts ? constant_truth(parts->right) : std::nullopt;
    if (!a || !b) return result;
    const bool value = binary.op == BinaryOp::bit_and  ? *a && *b
                       : binary.op == BinaryOp::bit_or ? *a || *b
                                                       : *a != *b;
    return truth(value, e.type());
  }
  // The right side counts only where the left is true (and), or false (or).
  const Expr left = simplify(binary.left);
  if (const auto value = constant_truth(left)) return *value == conjunction ? simplify(binary.right) : left;
  const Expr right =
      e.type().is_scalar() ? simplify_under(left, conjunction, binary.right) : simplify(binary.right);
  if (const auto value = constant_truth(right)) return *value == conjunction ? left : right;
  if (structurally_equal(left, right)) return left;
  return left == binary.left && right == binary.right ? e : make_binary(binary.op, left, right);
}

Expr Reasoner::simplify_comparison(const Expr& e, const Binary& binary) {
  const DataType type = binary.left.type();
  if (!type.is_integer() || type.is_storage_only()) {
    const Expr result = simplify_children(e);
    const auto* sides = result.as<Binary>();
    const FloatImm *a = float_constant(sides->left), *b = float_constant(sides->right);
    if (a && b) return truth(holds(binary.op, a->value, b->value), e.type());
    const auto p = constant_truth(sides->left), q = constant_truth(sides->right);
    return p && q ? truth(holds(binary.op, int{*p}, int{*q}), e.type()) : result;
  }
  const Polynomial left = normalise(binary.left), right = normalise(binary.right);
  const bool equality = binary.op == BinaryOp::eq || binary.op == BinaryOp::ne;
  if (equality)  // modulo 2^bits a difference says it all
    if (const Polynomial d = wrap(subtract(left, right), type.bits); d.is_constant())
      return truth((d.constant == 0) == (binary.op == BinaryOp::eq), e.type());
  const auto a = ideal(left, type), b = ideal(right, type);
  const auto as_written = [&] { return make_binary(binary.op, rebuild(left, type), rebuild(right, type)); };
  if (!a || !b) return as_written();
  const Polynomial difference = subtract(*a, *b);
  if (const Proof p = compare(binary.op, difference); p != Proof::unknown)
    return truth(p == Proof::proved, e.type());

  if (difference.overflow || difference.constant == INT64_MIN) return as_written();

  // Added terms go to the left, subtracted ones and the constant to the right.
  Polynomial less, more = constant_polynomial(-difference.constant);
  for (const Term& term : difference.terms) {
    if (term.coefficient == INT64_MIN) return as_written();
    if (term.coefficient > 0)
      less = add(less, from_term(term));
    else
      more = add(more, from_term({-term.coefficient, term.factors}));
  }
  BinaryOp op = binary.op;
  if (less.is_zero()) {
    // Only subtracted terms: 5 < i reads better as i > 5.
    less = subtract(more, constant_polynomial(more.constant));
    more = constant_polynomial(-more.constant);
    op = mirrored(op);
  }
  if (!fits(less, type) || !fits(more, type)) return as_written();
  return make_binary(op, rebuild(less, type), rebuild(more, type));
}

}  // namespace ardea::arith
