#include "ardea/schedule/remove.h"

#include <algorithm>

#include "ardea/ir/traverse.h"

namespace ardea::schedule {

Stmt without(const Stmt& outer, const Stmt& gone, std::vector<Forwarded>& dropped) {
  if (outer == gone) {
    if (const auto* block = gone.as<Block>()) dropped.push_back({BlockRef{block->id}, {}});
    return {};
  }
  if (outer.is<Block>()) return outer;  // what stands in a block inside is not looked for
  if (const auto* sequence = outer.as<Seq>()) {
    std::vector<Stmt> left;
    for (const Stmt& part : sequence->statements)
      if (Stmt now = without(part, gone, dropped)) left.push_back(std::move(now));
    if (left == sequence->statements) return outer;
    return left.empty() ? Stmt() : make_seq(std::move(left));
  }
  if (const auto* branch = outer.as<If>()) {
    const Stmt yes = without(branch->then_case, gone, dropped);
    const Stmt no = branch->else_case ? without(branch->else_case, gone, dropped) : Stmt();
    if (yes == branch->then_case && no == branch->else_case) return outer;
    if (yes) return make_if(branch->condition, yes, no);
    return no ? make_if(logical_not(branch->condition), no) : Stmt();
  }
  bool emptied = false;
  const Stmt now = map_children(outer, Mapper{.stmt = [&](const Stmt& part) {
                                  const Stmt left = without(part, gone, dropped);
                                  emptied = emptied || !left;
                                  return left ? left : part;
                                }});
  if (!emptied) return now;
  if (const auto* loop = outer.as<For>()) dropped.push_back({LoopRef{loop->var}, {}});
  return {};
}

}  // namespace ardea::schedule
