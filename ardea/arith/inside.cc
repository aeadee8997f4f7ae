#include "ardea/arith/inside.h"

#include "ardea/arith/regions.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"

namespace ardea::arith {

bool reads_memory(const Expr& e) {
  return any_expr(e, [](const Expr& part) {
    const auto* call = part.as<Call>();
    return part.is<Load>() || (call != nullptr && call->op->effect == Effect::writes);
  });
}

namespace {

/// A loop from min(a, b) on whose iterations all lie below b begins at a: where a loop was cut at a point
/// that may lie behind its end, its last part knows so where it is.
void assume_start(Analyzer& facts, const For& loop) {
  const auto* start = loop.min.as<Binary>();
  if (start == nullptr || start->op != BinaryOp::min) return;
  for (const auto& [a, b] : {std::pair{start->left, start->right}, std::pair{start->right, start->left}})
    if (facts.proves(loop.var < b)) return facts.assume(loop.var >= a);
}

}  // namespace

Analyzer inside(Analyzer facts, const For& loop) {
  const bool known_min = !reads_memory(loop.min);
  if (known_min && !reads_memory(loop.extent)) {
    facts.bind(loop.var, {loop.min, loop.extent});
    assume_start(facts, loop);
  } else if (known_min) {
    facts.assume(loop.var >= loop.min);
  }
  return facts;
}

Analyzer inside(Analyzer facts, const LetStmt& let) {
  if (let.var.type().is_integer() && let.var.type().is_scalar() && !reads_memory(let.value))
    facts.define(let.var, let.value);
  return facts;
}

Analyzer inside(const Analyzer& facts, const Stmt& s) {
  if (const auto* loop = s.as<For>()) return inside(facts, *loop);
  if (const auto* let = s.as<LetStmt>()) return inside(facts, *let);
  if (const auto* block = s.as<Block>()) return facts_inside(*block, facts);
  return facts;
}

Analyzer where(Analyzer facts, const Expr& condition) {
  if (const auto* both = condition.as<Binary>(); both != nullptr && both->op == BinaryOp::logical_and)
    return where(where(facts, both->left), both->right);
  if (!reads_memory(condition)) facts.assume(condition);
  return facts;
}

}  // namespace ardea::arith
