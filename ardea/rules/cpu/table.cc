#include "ardea/rules/cpu/packed_product.h"

namespace ardea::rules {

RuleSet rules_for(const target::Target&) { return {packed_product()}; }

}  // namespace ardea::rules
