#include "ardea/lower/facts.h"

#include "ardea/ir/traverse.h"

namespace ardea::lower {

Stmt map_inside(const Stmt& s, const arith::Analyzer& facts,
                const std::function<Stmt(const Stmt&, const arith::Analyzer&)>& visit) {
  if (const auto* branch = s.as<If>()) {
    If out = *branch;
    out.then_case = visit(branch->then_case, where(facts, branch->condition));
    if (branch->else_case.defined())
      out.else_case = visit(branch->else_case, where(facts, logical_not(branch->condition)));
    return out;
  }
  arith::Analyzer inner = facts;
  if (const auto* loop = s.as<For>()) inner = inside(facts, *loop);
  if (const auto* let = s.as<LetStmt>()) inner = inside(facts, *let);
  return map_children(s, Mapper{.stmt = [&](const Stmt& part) { return visit(part, inner); }});
}

}  // namespace ardea::lower
