#include "ardea/schedule/primitives/memory/guarded_part.h"

#include <algorithm>

#include "ardea/arith/regions_conditions.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/program/both_hold.h"
#include "ardea/schedule/program/touches.h"

namespace ardea::schedule {

GuardedPart guarded_part(const Stmt& part) {
  GuardedPart out{part};
  std::vector<Var> inside;
  Stmt innermost = part;
  for (; innermost.is<For>(); innermost = innermost.as<For>()->body)
    inside.push_back(innermost.as<For>()->var);
  const auto* block = innermost.as<Block>();
  if (block == nullptr || is_true(block->predicate)) return out;
  Block runs = *block;
  runs.predicate = {};
  for (const Expr& condition : arith::conjuncts(block->predicate)) {
    const bool varies =
        !loaded_buffers(condition).empty() ||
        std::any_of(inside.begin(), inside.end(), [&](const Var& var) { return uses(condition, var); });
    Expr& side = varies && part.is<For>() ? runs.predicate : out.guard;
    side = both_hold(side, condition);
  }
  Rewriter rewriter;
  rewriter.stmt = [&](const Stmt& s) { return s == innermost ? std::optional<Stmt>(runs) : std::nullopt; };
  out.part = rewrite(part, rewriter);
  return out;
}

}  // namespace ardea::schedule
