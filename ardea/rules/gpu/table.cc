#include "ardea/rules/gpu/table.h"

#include "ardea/rules/cpu/always_inline.h"

namespace ardea::rules {

// What is special before what is general: a rule that finishes a stage leaves nothing to those after it.
RuleSet gpu_rules() {
  return {
      always_inline(),
  };
}

}  // namespace ardea::rules
