#pragma once

#include "ardea/rules/rule.h"

namespace ardea::rules {

/// Stages that make each element for itself: the last axis in vectors, threads share rows or columns; short
/// rows of operands that all have the result's shape are one.
Rule elementwise();

}  // namespace ardea::rules
