#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ardea/ir/function.h"

/// What a program asked for and did not get, though its answers are the same.

namespace ardea::lower {

/// Beyond this many stores and calls a nest is not written out, whoever asks for it: the time that LLVM takes
/// grows faster than the code, and no machine's instruction cache holds more.
inline constexpr std::int64_t most_unrolled_steps = 1024;

/// On a loop that stays one although it is marked T.unroll: the steps that a copy for each iteration would
/// be.
inline const std::string unroll_refused_key = "unroll_refused";

/// One sentence a request that lowering did not honour, for people; f is lowered.
std::vector<std::string> notes(const Function& f);

}  // namespace ardea::lower
