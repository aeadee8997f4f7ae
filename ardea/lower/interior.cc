#include "ardea/lower/interior.h"

#include <algorithm>

#include "ardea/arith/regions_conditions.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/unroll_hint.h"
#include "ardea/limits/lane_counts.h"
#include "ardea/limits/steps.h"
#include "ardea/lower/facts.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

/// A guard of a tile still holds in most tiles when it is asked for all iterations of loops this short.
constexpr std::int64_t most_iterations_at_once = 16;

bool is_short(const For& loop) {
  const auto extent = constant_int(loop.extent);
  return extent && *extent <= most_iterations_at_once;
}

/// The comparisons that all must hold, as nodes of the condition.
void for_each_conjunct(const Expr& condition, const std::function<void(const Expr&)>& visit) {
  if (const auto* both = condition.as<Binary>(); both != nullptr && both->op == BinaryOp::logical_and) {
    for_each_conjunct(both->left, visit);
    for_each_conjunct(both->right, visit);
  } else if (const auto* call = condition.as<Call>(); call != nullptr && call->op->name == "likely") {
    for_each_conjunct(call->arguments[0], visit);
  } else {
    visit(condition);
  }
}

/// What stands under a guard is what mostly happens, unlike the failure of a check.
bool is_guard(const If& branch) {
  const auto* evaluate = branch.then_case.as<Evaluate>();
  const auto* call = evaluate != nullptr ? evaluate->value.as<Call>() : nullptr;
  return !branch.else_case.defined() && (call == nullptr || call->op->name != "fail");
}

bool is_copied(const For& loop) { return loop.kind == ForKind::vectorized || loop.kind == ForKind::unrolled; }

class InteriorSearch {
 public:
  InteriorSearch(const Analyzer& outer, Movable& movable) : outer_(outer), movable_(movable) {}

  void visit(const Stmt& s, Analyzer facts) {
    if (const auto* loop = s.as<For>()) {
      facts = inside(facts, *loop);
      inner_.push_back(loop->var);
      if (!is_copied(*loop) && !is_short(*loop)) long_.push_back(loop->var);
    } else if (const auto* let = s.as<LetStmt>()) {
      facts = inside(facts, *let);
      inner_.push_back(let->var);
    } else if (const auto* branch = s.as<If>(); branch != nullptr && is_guard(*branch)) {
      for_each_conjunct(branch->condition, [&](const Expr& e) { add(e, facts); });
    } else if (const auto* store = s.as<Store>()) {
      visit_exprs(store->value, [&](const Expr& e) {
        if (const auto* let = e.as<Let>()) inner_.push_back(let->var);
      });
      visit_exprs(store->value, [&](const Expr& e) {
        const auto* call = e.as<Call>();
        if (call == nullptr || call->op->name != "if_then_else" || !is_constant(call->arguments[2])) return;
        for_each_conjunct(call->arguments[0], [&](const Expr& part) { add(part, facts); });
      });
    }
    for_each_child(s, [](const Expr&) {}, [&](const Stmt& child) { visit(child, facts); });
  }

  std::optional<Interior> take() {
    if (varies_ || !found_.condition.defined()) return std::nullopt;
    return std::move(found_);
  }

 private:
  static bool is_constant(const Expr& e) { return e.is<FloatImm>() || e.is<IntImm>(); }

  static bool names_any(const Expr& e, const std::vector<Var>& variables) {
    return std::any_of(variables.begin(), variables.end(), [&](const Var& var) { return uses(e, var); });
  }

  void add(const Expr& comparison, const Analyzer& facts) {
    if (varies_ || reads_memory(comparison)) return;
    const auto* compared = comparison.as<Binary>();
    if (compared == nullptr || compared->op == BinaryOp::eq) return;  // of one iteration only: an init
    const std::vector<Expr> parts = arith::nonnegative_parts(comparison);
    if (parts.empty()) return;
    if (names_any(comparison, long_)) {
      varies_ = true;
      return;
    }
    const Expr least = facts.bounds(facts.simplify(parts[0]), inner_).low;
    if (!least.defined() || names_any(least, inner_) || !movable_.anywhere(least)) return;
    const Expr all = outer_.simplify(least >= make_int(0));
    // Those found so far often say it already.
    Analyzer known = outer_;
    if (found_.condition.defined()) known.assume(found_.condition);
    const arith::Proof proof = known.prove(all);
    if (proof == arith::Proof::refuted) return;
    found_.comparisons.push_back(comparison);
    if (proof == arith::Proof::proved) return;
    found_.condition = found_.condition.defined() ? logical_and(found_.condition, all) : all;
  }

  const Analyzer& outer_;
  Movable& movable_;
  std::vector<Var> inner_, long_;  ///< what is defined in the statement
  Interior found_;
  bool varies_ = false;
};

}  // namespace

std::optional<Interior> interior_of(const Stmt& s, const Analyzer& facts, Movable& movable) {
  InteriorSearch search(facts, movable);
  search.visit(s, facts);
  return search.take();
}

bool has_diagonals(const Stmt& s) {
  std::vector<Var> loops;
  visit_stmts(s, [&](const Stmt& part) {
    if (const auto* loop = part.as<For>(); loop != nullptr && !is_copied(*loop) && !is_short(*loop))
      loops.push_back(loop->var);
  });
  const Analyzer nothing;
  const auto is_diagonal = [&](const Expr& comparison) {
    bool rises = false, falls = false;
    for (const Expr& value : arith::nonnegative_parts(comparison))
      for (const Var& loop : loops) {
        if (!uses(value, loop)) continue;
        const Expr next = substitute(value, loop, loop + make_int(1, loop.type()));
        const auto step = constant_int(nothing.simplify(next - value));
        rises = rises || (step && *step > 0);
        falls = falls || (step && *step < 0);
      }
    return rises && falls;
  };
  bool found = false;
  visit_stmts(s, [&](const Stmt& part) {
    if (const auto* branch = part.as<If>(); branch != nullptr && is_guard(*branch))
      for_each_conjunct(branch->condition, [&](const Expr& e) { found = found || is_diagonal(e); });
  });
  return found;
}

Stmt inside_of(const Stmt& s, const Interior& interior, const Analyzer& facts) {
  const Stmt decided = rewrite(s, [&](const Expr& e) -> std::optional<Expr> {
    const auto& all = interior.comparisons;
    if (std::find(all.begin(), all.end(), e) == all.end()) return std::nullopt;
    return make_bool(true);
  });
  return arith::simplify(decided, where(facts, interior.condition), /*drop_unit_loops=*/true);
}

Stmt rolled(const Stmt& s, const target::Target& target) {
  const Stmt inner = map_children(s, Mapper{.stmt = [&](const Stmt& part) { return rolled(part, target); }});
  const auto* loop = inner.as<For>();
  if (loop == nullptr || !is_copied(*loop)) return inner;
  For out = *loop;
  out.annotations[rolled_key] = {make_int(1)};
  if (loop->kind == ForKind::unrolled) {
    out.kind = ForKind::serial;
    out.annotations[limits::auto_unroll_key] = {make_int(0)};
    return out;
  }
  const int bits = limits::lane_bits(loop->body, target), lanes = limits::register_lanes(bits, target);
  const auto extent = constant_int(loop->extent);
  if (limits::has_lane_masks(bits, target) || !extent || *extent <= lanes || *extent % lanes != 0) return out;
  const DataType type = loop->var.type();
  const Var round(loop->var.name() + "_round", type), lane(loop->var.name(), type);
  For vector = out, rounds = out;
  vector.var = lane;
  vector.min = make_int(0, type);
  vector.extent = make_int(lanes, type);
  vector.body = substitute(loop->body, loop->var, loop->min + round * make_int(lanes, type) + lane);
  rounds.var = round;
  rounds.min = make_int(0, type);
  rounds.extent = make_int(*extent / lanes, type);
  rounds.kind = ForKind::serial;
  rounds.body = vector;
  return rounds;
}

}  // namespace ardea::lower
