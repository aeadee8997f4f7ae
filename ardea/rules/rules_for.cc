#include "ardea/rules/cpu/table.h"
#include "ardea/rules/gpu/table.h"
#include "ardea/rules/scratchpad/table.h"

namespace ardea::rules {

RuleSet rules_for(const target::Target& target) {
  switch (target.kind) {
    case target::Kind::cpu: return cpu_rules();
    case target::Kind::accelerator: return scratchpad_rules();
    case target::Kind::cuda: return gpu_rules();
  }
  return {};
}

}  // namespace ardea::rules
