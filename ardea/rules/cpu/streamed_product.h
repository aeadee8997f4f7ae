#pragma once

#include "ardea/rules/rule.h"

/// Products of a few rows, which are as fast as the other matrix comes out of memory.

namespace ardea::rules {

/// Where both operands lie along k (the right one as n, k, or one column): dot products in vectors of partial
/// results.
Rule dot_products();

/// The right operand is read row by row, as it lies in memory, and each row added to the few rows of sums.
Rule streamed_product();

}  // namespace ardea::rules
