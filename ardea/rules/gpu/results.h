#pragma once

#include "ardea/rules/rule.h"

namespace ardea::rules {

/// Any other reduction: one thread makes a result, in a register, with all that is made of it element by
/// element; neighbouring threads make neighbouring results.
Rule results_by_threads();

}  // namespace ardea::rules
