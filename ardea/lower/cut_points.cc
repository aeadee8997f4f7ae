#include "ardea/lower/cut_points.h"

#include <algorithm>

#include "ardea/ir/ceil_div.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/facts.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

bool holds_plain_loops(const Stmt& s) {
  bool found = false;
  if (!s.defined()) return false;
  visit_stmts(s, [&](const Stmt& x) {
    const auto* loop = x.as<For>();
    found =
        found || (loop != nullptr && loop->kind != ForKind::vectorized && loop->kind != ForKind::unrolled);
  });
  return found;
}

/// The comparisons under `and`, `or`, `not` and T.likely, and whether the last is among these.
void collect(const Expr& condition, bool is_likely, std::vector<std::pair<Expr, bool>>& comparisons) {
  if (const auto* binary = condition.as<Binary>()) {
    if (is_comparison(binary->op)) {
      comparisons.emplace_back(condition, is_likely);
      return;
    }
    if (binary->op != BinaryOp::logical_and && binary->op != BinaryOp::logical_or) return;
    collect(binary->left, is_likely, comparisons);
    collect(binary->right, is_likely, comparisons);
  } else if (const auto* unary = condition.as<Unary>()) {
    collect(unary->operand, is_likely, comparisons);
  } else if (const auto* call = condition.as<Call>(); call != nullptr && call->op->name == "likely") {
    collect(call->arguments[0], true, comparisons);
  }
}

/// What decides the value, where that is a choice; empty elsewhere.
Expr choice_of(const Expr& value) {
  const auto* call = value.as<Call>();
  return call != nullptr && call->op->name == "if_then_else" ? call->arguments[0] : Expr();
}

class GuardSearch {
 public:
  explicit GuardSearch(bool of_values) : of_values_(of_values) {}

  void visit(const Stmt& s, Guard place) {
    if (const auto* loop = s.as<For>()) {
      place.facts = inside(place.facts, *loop);
      place.inner.push_back(loop->var);
      if (loop->kind != ForKind::vectorized && loop->kind != ForKind::unrolled)
        place.repeated.push_back(loop->var);
    } else if (const auto* let = s.as<LetStmt>()) {
      place.facts = inside(place.facts, *let);
    } else if (const auto* branch = s.as<If>(); branch != nullptr && !holds_plain_loops(branch->then_case) &&
                                                !holds_plain_loops(branch->else_case)) {
      add(branch->condition, place);
    } else if (const auto* store = s.as<Store>(); store != nullptr && of_values_) {
      visit_exprs(store->value, [&](const Expr& e) {
        if (const Expr choice = choice_of(e); choice.defined()) add(choice, place);
      });
    } else if (store != nullptr) {
      // The padding of a packed panel, say.
      if (const Expr choice = choice_of(store->value); choice.defined()) add(choice, place);
    }
    for_each_child(s, [](const Expr&) {}, [&](const Stmt& child) { visit(child, place); });
  }

  std::vector<Guard> take() { return std::move(guards_); }

 private:
  void add(const Expr& condition, Guard place) {
    std::vector<std::pair<Expr, bool>> comparisons;
    collect(condition, false, comparisons);
    for (const auto& [comparison, is_likely] : comparisons) {
      place.comparison = comparison;
      place.is_likely = is_likely;
      guards_.push_back(place);
    }
  }

  const bool of_values_;
  std::vector<Guard> guards_;
};

/// value >= 0 (or value = 0), with coefficient > 0: coefficient · var + rest, low <= rest <= high.
struct Line {
  std::int64_t coefficient;
  Expr low, high;
};

/// Nothing where the value has no such form, or its ends are not known outside of the loop.
std::optional<Line> line_of(const Expr& value, const For& loop, const Guard& guard, const Analyzer& outer) {
  const Expr next = substitute(value, loop.var, loop.var + make_int(1));
  const auto coefficient = constant_int(guard.facts.simplify(next - value));
  if (!coefficient || *coefficient == 0 || *coefficient == INT64_MIN) return std::nullopt;
  const Expr rest = guard.facts.simplify(substitute(value, loop.var, make_int(0)));
  const arith::SymbolicBounds bounds = guard.facts.bounds(rest, guard.inner);
  if (!bounds.low.defined() || !bounds.high.defined()) return std::nullopt;
  std::vector<Var> defined;  // in the loop: what the ends may not name
  visit_stmts(loop.body, [&](const Stmt& s) {
    if (const auto* inner = s.as<For>()) defined.push_back(inner->var);
    if (const auto* let = s.as<LetStmt>()) defined.push_back(let->var);
  });
  defined.push_back(loop.var);
  for (const Expr& end : {bounds.low, bounds.high})
    for (const Var& used : free_variables(end))
      if (std::find(defined.begin(), defined.end(), used) != defined.end()) return std::nullopt;
  return Line{*coefficient, outer.simplify(bounds.low), outer.simplify(bounds.high)};
}

class Points {
 public:
  Points(const For& loop, const Analyzer& outer) : loop_(loop), outer_(outer) {}

  /// Where the guard is true on one side it is worth a cut even if that is not known to lie inside: guards
  /// are there for the few iterations in which they are false.
  void add(const Expr& point, std::optional<bool> below, std::optional<bool> from) {
    const bool likely = below == true || from == true;
    const Expr place = outer_.simplify(point), end = outer_.simplify(loop_.min + loop_.extent);
    if (outer_.proves(place <= loop_.min) || outer_.proves(place >= end)) return;
    const bool inside = outer_.proves(place > loop_.min) && outer_.proves(place <= end);
    if (inside || likely) points_.push_back({place, below, from});
  }

  std::vector<CutPoint> take() { return std::move(points_); }

 private:
  const For& loop_;
  const Analyzer& outer_;
  std::vector<CutPoint> points_;
};

}  // namespace

std::vector<Guard> guards_in(const Stmt& body, const Analyzer& facts, bool of_values) {
  GuardSearch search(of_values);
  search.visit(body, {{}, {}, {}, facts});
  return search.take();
}

std::vector<CutPoint> cut_points(const Guard& guard, const For& loop, const Analyzer& outer) {
  const auto& compared = *guard.comparison.as<Binary>();
  if (compared.left.type() != int64 || loop.var.type() != int64 || reads_memory(guard.comparison) ||
      !uses(guard.comparison, loop.var))
    return {};
  const bool is_equality = compared.op == BinaryOp::eq || compared.op == BinaryOp::ne;
  const bool is_negated =
      compared.op == BinaryOp::ne || compared.op == BinaryOp::lt || compared.op == BinaryOp::gt;
  // With value >= 0: left <= right and left >= right, or, negated, left > right and left < right.
  const bool left_is_less = compared.op == BinaryOp::le || compared.op == BinaryOp::gt;
  const Expr value = left_is_less ? compared.right - compared.left : compared.left - compared.right;
  const bool holds = !is_negated, fails = is_negated;

  auto line = line_of(value, loop, guard, outer);
  if (!line) return {};
  Points points(loop, outer);
  const bool same = structurally_equal(line->low, line->high);
  const std::int64_t step = std::abs(line->coefficient);
  const bool rises = line->coefficient > 0;
  if (is_equality) {
    const Expr low = rises ? line->low : outer.simplify(-line->high);
    const Expr high = rises ? line->high : outer.simplify(-line->low);
    points.add(ceil_div(-high, make_int(step)), fails, {});
    points.add(ceil_div(make_int(1) - low, make_int(step)), {}, fails);
  } else if (rises) {  // step · var + rest >= 0
    const Expr all = ceil_div(-line->low, make_int(step)), none = ceil_div(-line->high, make_int(step));
    points.add(all, same ? std::optional(fails) : std::nullopt, holds);
    if (!same) points.add(none, fails, {});
  } else {  // step · var <= rest
    const Expr all = floor_div(line->low, step) + 1, none = floor_div(line->high, step) + 1;
    points.add(all, holds, same ? std::optional(fails) : std::nullopt);
    if (!same) points.add(none, {}, fails);
  }
  return points.take();
}

}  // namespace ardea::lower
