#pragma once

#include "ardea/rules/rule.h"

namespace ardea::rules {

/// The rules for machines whose programs fill scratchpads themselves, in order.
RuleSet scratchpad_rules();

}  // namespace ardea::rules
