#pragma once

#include "ardea/rules/rule.h"

namespace ardea::rules {

/// Stages that take each row for itself (reductions along rows, softmax, layernorm) in one nest over rows,
/// several at a time, with sums in vectors of partial results; parts of a row where there are fewer rows than
/// cores.
Rule rows();

}  // namespace ardea::rules
