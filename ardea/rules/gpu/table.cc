#include "ardea/rules/gpu/table.h"

#include "ardea/rules/cpu/always_inline.h"
#include "ardea/rules/gpu/blocks.h"
#include "ardea/rules/gpu/depth_in_parts.h"
#include "ardea/rules/gpu/elements.h"
#include "ardea/rules/gpu/implicit_product.h"
#include "ardea/rules/gpu/phases.h"
#include "ardea/rules/gpu/prefixes.h"
#include "ardea/rules/gpu/results.h"
#include "ardea/rules/gpu/rows.h"
#include "ardea/rules/gpu/tensor_product.h"
#include "ardea/rules/gpu/thread_product.h"
#include "ardea/rules/gpu/transposition.h"

namespace ardea::rules {

// What is special before what is general: a rule that finishes a stage leaves nothing to those after it.
RuleSet gpu_rules() {
  return {
      always_inline(),  // first, so that what follows a sum is one stage
      sums_in_phases(),      depth_in_parts(),     implicit_product(),
      tensor_product(),      thread_product(),     prefixes_by_threads(),
      rows_by_threads(),     results_by_threads(), transposition_by_threads(),
      elements_by_threads(), blocks_by_threads(),
  };
}

}  // namespace ardea::rules
