#include "ardea/lower/asked_before.h"

#include <algorithm>

#include "ardea/arith/regions_conditions.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/facts.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

bool names_any(const Expr& e, const std::vector<Var>& variables) {
  const std::vector<Var> used = free_variables(e);
  return std::any_of(used.begin(), used.end(), [&](const Var& var) {
    return std::find(variables.begin(), variables.end(), var) != variables.end();
  });
}

/// A condition over what is outside of `inner` without which the comparison holds for none of their values:
/// an upper bound of what must be at least 0. Empty where there is none.
Expr may_hold(const Expr& comparison, const std::vector<Var>& inner, const Analyzer& facts) {
  Expr all;
  for (const Expr& value : arith::nonnegative_parts(comparison)) {
    const Expr most = facts.bounds(facts.simplify(value), inner).high;
    if (!most.defined() || names_any(most, inner)) continue;
    const Expr some = most >= make_int(0);
    all = all.defined() ? logical_and(all, some) : some;
  }
  return all;
}

/// A condition over what is outside of `inner`, the first of which does not change it, without which s does
/// nothing; empty where s may do something anyway.
Expr where_it_acts(const Stmt& s, std::vector<Var>& inner, const Analyzer& facts) {
  if (const auto* loop = s.as<For>()) {
    if (loop->kind != ForKind::unrolled && loop->kind != ForKind::vectorized) return {};
    inner.push_back(loop->var);
    return where_it_acts(loop->body, inner, inside(facts, *loop));
  }
  const auto* branch = s.as<If>();
  if (branch == nullptr || branch->else_case.defined() || has_effect(branch->condition)) return {};
  Expr all;
  for (const Expr& condition : arith::conjuncts(branch->condition)) {
    if (reads_memory(condition) || uses(condition, inner.front())) continue;
    const Expr some = may_hold(condition, inner, facts);
    if (some.defined()) all = all.defined() ? logical_and(all, some) : some;
  }
  return all;
}

}  // namespace

Stmt asked_before(const For& loop, const Analyzer& facts) {
  if (loop.kind != ForKind::serial || has_effect(loop.min) || has_effect(loop.extent)) return loop;
  std::vector<Var> inner = {loop.var};
  const Expr found = where_it_acts(loop.body, inner, inside(facts, loop));
  if (!found.defined()) return loop;
  const Expr some = facts.simplify(found);
  return is_true(some) || facts.proves(some) ? Stmt(loop) : make_if(some, loop);
}

}  // namespace ardea::lower
