#pragma once

#include "ardea/rules/rule.h"

namespace ardea::rules {

/// The rules for GPUs, in order.
RuleSet gpu_rules();

}  // namespace ardea::rules
