#include "ardea/rules/scratchpad/plan.h"
#include "ardea/rules/scratchpad/rules.h"
#include "ardea/schedule/primitives/memory/cache_read.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// A copy for each memory before the last, from the unit outwards.
void add_levels(Derivation& d, std::vector<TileCopy>& copies, const std::vector<Hop>& hops) {
  for (std::size_t level = hops.size() - 1; level-- > 0;) {
    TileCopy further = copies.front();
    further.block = d.steps().blocks(CacheRead{copies.front().block, 0, hops[level].scope})[0];
    further.scope = hops[level].scope;
    further.instruction = hops[level].instruction;
    copies.insert(copies.begin(), further);
  }
}

}  // namespace

Rule add_multi_level_scratchpad() {
  return {.name = "add multi-level scratchpad",
          .doc = "operands rest in all memories on their way to the unit, outermost first",
          .applies =
              [](const Derivation& d, const BlockRef& stage) {
                const auto* plan = d.left<ScratchpadPlan>(stage);
                return plan != nullptr && (plan->unit.to_left.size() > 1 || plan->unit.to_right.size() > 1);
              },
          .apply =
              [](Derivation& d, const BlockRef& stage) {
                ScratchpadPlan plan = *d.left<ScratchpadPlan>(stage);
                add_levels(d, plan.left, plan.unit.to_left);
                add_levels(d, plan.right, plan.unit.to_right);
                d.leave(stage, plan);
              }};
}

}  // namespace ardea::rules
