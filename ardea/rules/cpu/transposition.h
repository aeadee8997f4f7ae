#pragma once

#include "ardea/rules/rule.h"

namespace ardea::rules {

/// Elements that lie side by side along one axis where they are read and along another where they are
/// written: tiles of both, transposed in registers, so that rows are read and whole lines are written.
Rule transposition();

}  // namespace ardea::rules
