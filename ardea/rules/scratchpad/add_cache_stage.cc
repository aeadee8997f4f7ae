#include "ardea/rules/scratchpad/plan.h"
#include "ardea/rules/scratchpad/rules.h"
#include "ardea/schedule/primitives/memory/cache_write.h"
#include "ardea/schedule/primitives/memory/set_scope.h"

namespace ardea::rules {

using namespace schedule;

Rule add_cache_stage() {
  return {.name = "add cache stage",
          .doc = "sums are made in the unit's own memory, and stored from there",
          .applies = [](const Derivation& d,
                        const BlockRef& stage) { return d.left<ScratchpadPlan>(stage) != nullptr; },
          .apply =
              [](Derivation& d, const BlockRef& stage) {
                const ScratchpadPlan& plan = *d.left<ScratchpadPlan>(stage);
                const MatrixUnit& unit = plan.unit;
                const UnitProduct& product = plan.product;
                Schedule& s = d.steps();
                TileCopy store{{}, unit.sums.scope, {}, unit.tile(unit.sums)};
                if (product.narrowed) {
                  // What narrows the sums is the copy already.
                  s.apply(SetScope{product.sums, 0, unit.sums.scope});
                  store.block = *product.narrowed;
                  store.instruction = *unit.store(plain_stage(s.program(), store.block)->out->type);
                } else {
                  store.block = s.blocks(CacheWrite{product.sums, 0, unit.sums.scope})[0];
                  store.instruction = *unit.store(unit.sums.type);
                  const std::size_t last = product.stage.indices.size() - 1;
                  store.is_packed =
                      unit.sums.axes.size() > 1 ||
                      plain_dimension(product.stage.indices, product.stage.iterators[product.column]) != last;
                }
                d.leave(stage, StoredSums{store});
              }};
}

}  // namespace ardea::rules
