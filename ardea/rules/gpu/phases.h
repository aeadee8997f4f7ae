#pragma once

#include "ardea/rules/rule.h"

namespace ardea::rules {

/// What the rule leaves of a stage: its sums are made phase by phase, and the converter takes them to where
/// they belong.
struct SumsInPhases {
  BlockRef sums, converter;
};

/// Cuts iterators of sums of products of which an operand sees only a part (analysis/phases.h), and leaves
/// the products that they make to the rules for products.
Rule sums_in_phases();

}  // namespace ardea::rules
