#include "ardea/schedule/primitives/tensor/blockize.h"

#include "ardea/arith/regions.h"
#include "ardea/schedule/primitives/tensor/isolated_nest.h"
#include "ardea/schedule/program/refer.h"

namespace ardea::schedule {

Outcome apply(const Function& f, const Blockize& step, Context& context) {
  const Path path = ARDEA_TRY(refer(f, step.block_or_loop));
  IsolatedNest nest = ARDEA_TRY(isolate(f, path, step.preserve_unit_iters, context));
  const Block& outer = nest.outer;
  return Applied{arith::complete_regions(with(f, path, outer)), {BlockRef{outer.id}}};
}

}  // namespace ardea::schedule
