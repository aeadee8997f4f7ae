#include "ardea/rules/cpu/epilogue.h"

#include "ardea/rules/analysis/epilogue.h"
#include "ardea/rules/cpu/windows.h"
#include "ardea/schedule/primitives/place/compute_inline.h"

namespace ardea::rules {

Rule fused_epilogue() {
  return {
      .name = "fused epilogue",
      .doc = "what follows a sum over windows, element by element, is one stage that the sum's rule places",
      .applies =
          [](const Derivation& d, const BlockRef& stage) {
            const auto found = epilogue_before(d.steps().program(), stage);
            return found && float32_windows(d, found->maker);
          },
      .apply =
          [](Derivation& d, const BlockRef& stage) {
            const Epilogue found = *epilogue_before(d.steps().program(), stage);
            for (const BlockRef& block : found.between) d.steps().apply(schedule::ComputeInline{block});
            d.finish(stage);
          }};
}

}  // namespace ardea::rules
