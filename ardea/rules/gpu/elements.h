#pragma once

#include "ardea/rules/rule.h"

namespace ardea::rules {

/// Stages that make each element for itself: all axes are one, cut into blocks of threads, each of which
/// takes some vectors; what is left of the last vector is guarded, or a launch of its own.
Rule elements_by_threads();

}  // namespace ardea::rules
