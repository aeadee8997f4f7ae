#pragma once

#include "ardea/rules/rule.h"

namespace ardea::rules {

/// The rules for processors, in order.
RuleSet cpu_rules();

}  // namespace ardea::rules
