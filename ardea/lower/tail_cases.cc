#include "ardea/lower/tail_cases.h"

#include <algorithm>

#include "ardea/ir/equal.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/substitute.h"
#include "ardea/limits/lane_counts.h"
#include "ardea/lower/cut_pieces.h"
#include "ardea/lower/facts.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

/// More rows than any machine has registers for; each case is a kernel that somebody has to compile.
constexpr std::int64_t most_cases = 16;

std::vector<Var> defined_in(const Stmt& s) {
  std::vector<Var> defined;
  visit_stmts(s, [&](const Stmt& part) {
    if (const auto* loop = part.as<For>()) defined.push_back(loop->var);
    if (const auto* let = part.as<LetStmt>()) defined.push_back(let->var);
  });
  return defined;
}

/// Calls f with each unrolled loop of constant range, and what holds around it.
void for_each_unrolled(const Stmt& s, const Analyzer& facts,
                       const std::function<void(const For&, const Analyzer&)>& f) {
  if (const auto* loop = s.as<For>(); loop != nullptr && loop->kind == ForKind::unrolled &&
                                      constant_int(loop->min) && constant_int(loop->extent))
    f(*loop, facts);
  const Analyzer inner = inside(facts, s);
  for_each_child(s, [](const Expr&) {}, [&](const Stmt& part) { for_each_unrolled(part, inner, f); });
}

}  // namespace

std::optional<TailCases> tail_cases(const Stmt& nest, const Analyzer& facts) {
  if (!limits::uses_registers(nest)) return std::nullopt;
  const std::vector<Var> defined = defined_in(nest);
  const auto is_outside = [&](const Expr& e) {
    const std::vector<Var> used = free_variables(e);
    return std::none_of(used.begin(), used.end(), [&](const Var& v) {
      return std::find(defined.begin(), defined.end(), v) != defined.end();
    });
  };
  std::optional<TailCases> found;
  for_each_unrolled(nest, facts, [&](const For& loop, const Analyzer& around) {
    if (found) return;
    for (const Guard& guard : guards_in(loop.body, inside(around, loop)))
      for (const CutPoint& point : cut_points(guard, loop, around)) {
        if (found || constant_int(point.point) || !point.below || !point.from || !is_outside(point.point))
          continue;
        const auto bounds = facts.constant_bounds(point.point);
        const std::int64_t first = *constant_int(loop.min), end = first + *constant_int(loop.extent);
        TailCases cases{point.point, std::max(bounds.low.value_or(first), first),
                        std::min(bounds.high.value_or(end), end)};
        if (cases.least < cases.most && cases.most - cases.least < most_cases) found = cases;
      }
  });
  return found;
}

Stmt with_rows(const Stmt& nest, const TailCases& cases, std::int64_t rows, const Analyzer& facts) {
  const auto visit = [&](const auto& self, const Stmt& s, const Analyzer& known) -> Stmt {
    const Stmt inner =
        map_inside(s, known, [&](const Stmt& part, const Analyzer& more) { return self(self, part, more); });
    const auto* loop = inner.as<For>();
    if (loop == nullptr || loop->kind != ForKind::unrolled) return inner;
    Cut cut = cut_at(cases.rows, points_of(guards_in(loop->body, inside(known, *loop)), *loop, known));
    if (cut.below.empty() && cut.from.empty()) return inner;
    cut.point = make_int(rows, loop->var.type());
    const auto [lower, upper] = pieces(*loop, cut, known);
    return is_no_op(upper.body) ? Stmt(lower) : make_seq({lower, fresh_copy(upper)});
  };
  return arith::simplify(visit(visit, nest, facts), facts, /*drop_unit_loops=*/true);
}

}  // namespace ardea::lower
