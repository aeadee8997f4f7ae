#pragma once

#include "ardea/rules/rule.h"

namespace ardea::rules {

/// Products of matrices that no tensor instruction of a GPU multiplies: a block makes a tile out of panels of
/// both factors in shared memory, each thread several squares of it in its registers.
Rule thread_product();

/// The same of a stage that the rule applies to.
void take_thread_product(Derivation& d, const BlockRef& stage);

}  // namespace ardea::rules
