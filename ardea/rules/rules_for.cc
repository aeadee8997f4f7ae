#include "ardea/rules/cpu/table.h"
#include "ardea/rules/scratchpad/table.h"

namespace ardea::rules {

RuleSet rules_for(const target::Target& target) {
  switch (target.kind) {
    case target::Kind::cpu: return cpu_rules();
    case target::Kind::accelerator: return scratchpad_rules();
    case target::Kind::cuda: return cpu_rules();  // those that ask for a processor take no step there
  }
  return {};
}

}  // namespace ardea::rules
