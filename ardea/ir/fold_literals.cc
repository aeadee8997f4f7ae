#include "ardea/ir/fold_literals.h"

#include "ardea/ir/equal.h"
#include "ardea/ir/traverse.h"

namespace ardea {

namespace {

bool counts(DataType type) { return type == int32 || type == int64; }

/// The constant of that type, where the type can hold it.
std::optional<Expr> literal(std::int64_t value, DataType type) {
  if (type.bits < 64 && (value < INT32_MIN || value > INT32_MAX)) return std::nullopt;
  return make_int(value, type);
}

std::optional<std::int64_t> computed(BinaryOp op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  switch (op) {
    case BinaryOp::add: return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case BinaryOp::sub: return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case BinaryOp::mul: return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    default: return std::nullopt;
  }
}

/// An expression as what is left of its last literal, and that: `x - 1` is x and -1.
struct Shifted {
  Expr base;
  std::int64_t by = 0;
};

Shifted shifted(const Expr& e) {
  const auto* sum = e.as<Binary>();
  if (sum == nullptr || (sum->op != BinaryOp::add && sum->op != BinaryOp::sub)) return {e, 0};
  const auto by = constant_int(sum->right);
  if (!by || *by == INT64_MIN || sum->left.is<IntImm>()) return {e, 0};
  return {sum->left, sum->op == BinaryOp::add ? *by : -*by};
}

/// base + by as people write it.
std::optional<Expr> written(const Expr& base, std::int64_t by) {
  if (by == 0) return base;
  const auto number = by == INT64_MIN ? std::nullopt : literal(by < 0 ? -by : by, base.type());
  if (!number) return std::nullopt;
  return by < 0 ? base - *number : base + *number;
}

/// A sum, difference or product whose parts are folded already.
Expr folded(const Expr& e) {
  if (const auto* cast = e.as<Cast>();
      cast != nullptr && counts(e.type()) && cast->value.is<IntImm>() && cast->value.type().is_integer())
    return literal(*constant_int(cast->value), e.type()).value_or(e);
  const auto* node = e.as<Binary>();
  if (node == nullptr || !counts(e.type())) return e;
  const auto a = constant_int(node->left), b = constant_int(node->right);
  if (a && b) {
    const auto value = computed(node->op, *a, *b);
    return value ? literal(*value, e.type()).value_or(e) : e;
  }
  switch (node->op) {
    case BinaryOp::add:
      if (a == 0) return node->right;
      [[fallthrough]];
    case BinaryOp::sub: {
      if (!b) return e;
      // (x + p) + q = x + (p + q) whatever wraps: both are sums modulo 2^bits.
      const Shifted left = shifted(node->left);
      const auto by = computed(node->op, left.by, *b);
      return by ? written(left.base, *by).value_or(e) : e;
    }
    case BinaryOp::mul: return a == 1 ? node->right : b == 1 ? node->left : e;
    default: return e;
  }
}

const Rewriter folding{.expr_after = folded};

}  // namespace

Expr fold_literals(const Expr& e) {
  // A buffer is its identity: whoever holds an expression may hold its buffers, too.
  static const Rewriter in_place{.expr_after = folded,
                                 .buffer = [](const Buffer& b) { return std::optional(b); }};
  return e.defined() ? rewrite(e, in_place) : e;
}

Function fold_literals(const Function& f) { return rewrite(f, folding); }

std::optional<std::int64_t> literal_distance(const Expr& from, const Expr& to) {
  if (from.type() != to.type() || !counts(from.type())) return std::nullopt;
  const Shifted a = shifted(from), b = shifted(to);
  if (a.base.is<IntImm>() || !structurally_equal(a.base, b.base)) return std::nullopt;
  return computed(BinaryOp::sub, b.by, a.by);
}

std::optional<Expr> shifted_by_literal(const Expr& e, std::int64_t by) {
  if (!counts(e.type())) return std::nullopt;
  const Shifted first = shifted(e);
  const auto sum = computed(BinaryOp::add, first.by, by);
  return sum ? written(first.base, *sum) : std::nullopt;
}

}  // namespace ardea
