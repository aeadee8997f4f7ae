#include "ardea/schedule/program/removal.h"

#include <algorithm>

#include "ardea/ir/traverse.h"

namespace ardea::schedule {

namespace {

/// What is left of s without its part `old`; empty where nothing is.
Stmt left_of(const Stmt& s, const Stmt& old) {
  if (const auto* sequence = s.as<Seq>()) {
    std::vector<Stmt> others;
    for (const Stmt& statement : sequence->statements)
      if (!(statement == old)) others.push_back(statement);
    return others.empty() ? Stmt() : make_seq(std::move(others));
  }
  const auto* branch = s.as<If>();
  if (branch != nullptr && branch->else_case.defined()) {
    return old == branch->then_case ? make_if(logical_not(branch->condition), branch->else_case)
                                    : make_if(branch->condition, branch->then_case);
  }
  return {};
}

}  // namespace

Removed without(const Function& f, const Path& path) {
  Removed removed{f, {}};
  std::size_t i = path.size() - 1;
  while (i > 0) {
    const Stmt& around = path[--i];
    if (around.is<Block>()) {
      removed.program = with(f, path.upto(i + 1), make_no_op());
      break;
    }
    if (const Stmt left = left_of(around, path[i + 1]); left.defined()) {
      removed.program = with(f, path.upto(i), left);
      break;
    }
    if (const auto* loop = around.as<For>()) removed.gone.push_back({LoopRef{loop->var}, {}});
  }
  std::reverse(removed.gone.begin(), removed.gone.end());
  return removed;
}

std::vector<Stmt> statements_of(const Stmt& body) {
  const auto* sequence = body.as<Seq>();
  return sequence != nullptr ? sequence->statements : std::vector<Stmt>{body};
}

Function with_inside(const Function& f, const LoopRef& loop, std::size_t position, const Stmt& added) {
  const Path path = *path_to(f, loop);
  For now = path.loop();
  std::vector<Stmt> statements = statements_of(now.body);
  statements.insert(statements.begin() + static_cast<std::ptrdiff_t>(position), added);
  now.body = make_seq(std::move(statements));
  return with(f, path, now);
}

}  // namespace ardea::schedule
