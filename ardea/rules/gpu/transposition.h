#pragma once

#include "ardea/rules/rule.h"

namespace ardea::rules {

/// Stages that read along one axis and write along another: a block takes a square tile of both, which it
/// reads in vectors into shared memory and writes in vectors from there.
Rule transposition_by_threads();

}  // namespace ardea::rules
