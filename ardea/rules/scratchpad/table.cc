#include "ardea/rules/scratchpad/table.h"

#include "ardea/rules/cpu/always_inline.h"
#include "ardea/rules/scratchpad/rules.h"

namespace ardea::rules {

// Each leaves to the next what it has made of a product (plan.h); what no rule takes stays in its loops over
// memory, where the host runs it.
RuleSet scratchpad_rules() {
  return {
      add_multi_scope_scratchpad(),
      add_multi_level_scratchpad(),
      add_cache_stage(),
      virtual_threads(),
      multi_level_tiling(),
      compute_locations(),
      tensorize_tiles_of_scratchpads(),
      always_inline(),
  };
}

}  // namespace ardea::rules
