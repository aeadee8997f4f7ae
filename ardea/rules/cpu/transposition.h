#pragma once

#include "ardea/rules/rule.h"

namespace ardea::rules {

/// Elements that lie side by side along one axis where they are read and along another where they are
/// written: tiles of both, so that lines of both sides stay in the nearest cache until all of them is used.
Rule transposition();

}  // namespace ardea::rules
