#include "ardea/schedule/primitives/tensor/blockize.h"

#include "ardea/arith/regions.h"
#include "ardea/schedule/primitives/tensor/isolated_nest.h"
#include "ardea/schedule/program/refer.h"

namespace ardea::schedule {

Outcome apply(const Function& f, const Blockize& step, Context& context) {
  auto found = refer(f, step.block_or_loop);
  if (auto* refusal = std::get_if<Refusal>(&found)) return std::move(*refusal);
  const Path& path = std::get<Path>(found);
  auto nest = isolate(f, path, step.preserve_unit_iters, context);
  if (auto* refusal = std::get_if<Refusal>(&nest)) return std::move(*refusal);
  const Block& outer = std::get<IsolatedNest>(nest).outer;
  return Applied{arith::complete_regions(with(f, path, outer)), {BlockRef{outer.id}}};
}

}  // namespace ardea::schedule
