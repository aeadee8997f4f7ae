#pragma once

#include "ardea/rules/rule.h"

namespace ardea::rules {

/// What is done with the results of a product or of a sum over windows, element by element, becomes one
/// stage, and is left to the rule for the product or the sum, which does it where results leave the
/// registers.
Rule fused_epilogue();

}  // namespace ardea::rules
