#pragma once

#include <string>

#include "ardea/ir/function.h"

namespace ardea::test {

/// What a schedule has made of a program, in short: the buffers that it allocates; then its loops, by kind
/// and extent, with what they are marked with, and in them the blocks, `guarded` where a predicate may be
/// false. Loops that are alone in the one around them stand in one line with it.
std::string outline(const Function& program);

}  // namespace ardea::test
