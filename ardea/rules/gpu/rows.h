#pragma once

#include "ardea/rules/rule.h"

namespace ardea::rules {

/// Stages that take each row for itself (rules/analysis/row_nest.h) in one launch: a row by some threads,
/// which combine what each of them reduces, and keep what later stages need of it in registers or shared
/// memory, or read it again. Where there are fewer rows than cores, blocks sum parts of a row first.
Rule rows_by_threads();

}  // namespace ardea::rules
