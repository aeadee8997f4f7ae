#include "ardea/limits/largest_value.h"

#include "ardea/ir/substitute.h"

namespace ardea::limits {

namespace {

using arith::Analyzer;

/// What e is when one of the operands of its first min or max is taken instead of it, where that is known to
/// be no less.
std::vector<Expr> no_less(const Expr& e, const Analyzer& facts) {
  std::vector<Expr> ends;
  visit_exprs(e, [&](const Expr& part) {
    const auto* node = part.as<Binary>();
    if (node != nullptr && (node->op == BinaryOp::min || node->op == BinaryOp::max)) ends.push_back(part);
  });
  constexpr std::size_t most_ends = 4;  // each doubles the work
  if (ends.empty() || ends.size() > most_ends) return {};
  const auto* end = ends[0].as<Binary>();
  std::vector<Expr> found;
  for (const Expr& operand : {end->left, end->right}) {
    const Expr other = facts.simplify(
        rewrite(e, [&](const Expr& x) { return x == ends[0] ? std::optional(operand) : std::nullopt; }));
    if (facts.proves(e <= other)) found.push_back(other);
  }
  return found;
}

void collect_bounds(const Expr& e, const Analyzer& facts, std::vector<Expr>& bounds) {
  if (!varies_with_loops(e, facts)) {
    bounds.push_back(e);
    return;
  }
  // For all loops at once, and one after the other: of i - min(i, j) the first knows less.
  if (const Expr high = facts.bounds(e).high; high.defined()) {
    const Expr simple = facts.simplify(high);
    if (!varies_with_loops(simple, facts)) bounds.push_back(simple);
  }
  if (const auto most = facts.constant_bounds(e).high) bounds.push_back(make_int(*most));
  for (const Expr& other : no_less(e, facts)) collect_bounds(other, facts, bounds);
}

}  // namespace

bool varies_with_loops(const Expr& e, const Analyzer& facts) {
  for (const Var& var : free_variables(e))
    if (facts.range_of(var)) return true;
  return false;
}

Expr smaller_size(const Expr& a, const Expr& b, const Analyzer& facts) {
  if (a == b || facts.proves(a <= b)) return a;
  if (facts.proves(b <= a)) return b;
  return facts.simplify(min(a, b));
}

Expr largest_value(const Expr& e, const Analyzer& facts) {
  std::vector<Expr> bounds;
  collect_bounds(e, facts, bounds);
  Expr least;
  for (const Expr& bound : bounds) least = least.defined() ? smaller_size(least, bound, facts) : bound;
  return least;
}

std::optional<std::int64_t> largest_number(const Expr& e, const Analyzer& facts) {
  std::optional<std::int64_t> largest = facts.constant_bounds(e).high;
  const Expr whole = facts.bounds(e).high;
  if (const auto most = whole.defined() ? constant_int(facts.simplify(whole)) : std::nullopt)
    largest = std::min(largest.value_or(*most), *most);
  for (const Expr& other : no_less(e, facts))
    if (const auto most = largest_number(other, facts); most && (!largest || *most < *largest))
      largest = most;
  return largest;
}

}  // namespace ardea::limits
