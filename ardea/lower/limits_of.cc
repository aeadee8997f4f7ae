#include "ardea/lower/limits_of.h"

#include "ardea/lower/passes.h"

namespace ardea::lower {

Function placed(const Function& f, const target::Target& target) {
  Function out = f;
  // As the pipeline begins; of any target, because none of these asks what only one kind of machine has.
  for (const auto pass : {plan_pipelines, place_allocations, lower_init, lower_match_buffer, blocks_to_loops,
                          lower_tensor_instructions})
    out = pass(out, target);
  return out;
}

limits::Limits limits_of(const Function& f, const target::Target& target) {
  return limits::limits_of(placed(f, target), target);
}

std::vector<limits::Footprint> footprints_of(const Function& f, const target::Target& target) {
  return limits::footprints_of(placed(f, target), limits::nests_of(f), target);
}

}  // namespace ardea::lower
