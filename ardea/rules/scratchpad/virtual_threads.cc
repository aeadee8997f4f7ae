#include "ardea/rules/scratchpad/plan.h"
#include "ardea/rules/scratchpad/rules.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// Whether some number of threads that the machine has makes equal parts of the tiles.
bool can_share(const ScratchpadPlan& plan, std::size_t iterator, const target::Target& target) {
  const std::int64_t tiles = tiles_of(plan.product, plan.unit, iterator);
  for (std::int64_t threads = 2; threads <= target.accelerator->virtual_threads; ++threads)
    if (tiles % threads == 0) return true;
  return false;
}

}  // namespace

Rule virtual_threads() {
  return {
      .name = "virtual threads",
      .doc =
          "threads that a machine interleaves have columns, or rows, of their own: while one multiplies, the "
          "operands of the other arrive",
      .applies = [](const Derivation& d,
                    const BlockRef& stage) { return d.left<ScratchpadPlan>(stage) != nullptr; },
      .apply =
          [](Derivation& d, const BlockRef& stage) {
            const ScratchpadPlan& plan = *d.left<ScratchpadPlan>(stage);
            std::vector<ThreadPlan> ways = {{}};
            std::vector<std::string> answers = {"nothing"};
            if (can_share(plan, plan.product.column, d.target())) {
              ways.push_back({Sharing::columns, plan.product.column});
              answers.emplace_back("columns");
            }
            const std::vector<std::size_t> rows = plan.product.rows();
            for (std::size_t i = rows.size(); i-- > 0;)
              if (can_share(plan, rows[i], d.target())) {
                ways.push_back({Sharing::rows, rows[i]});
                answers.emplace_back("rows");
                break;
              }
            // More threads have operands of their own, and the smallest tiles of two may not fit.
            d.leave(stage, ways.size() == 1 ? ways[0] : ways[d.way("virtual threads share", answers, 0)]);
          }};
}

}  // namespace ardea::rules
