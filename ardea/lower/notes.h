#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ardea/ir/function.h"
#include "ardea/limits/steps.h"

/// What a program asked for and did not get, though its answers are the same.

namespace ardea::lower {

using limits::most_unrolled_steps;

/// On a loop that stays one although it is marked T.unroll: the steps that a copy for each iteration would
/// be.
inline const std::string unroll_refused_key = "unroll_refused";

/// On a loop that is serial although it is marked T.vectorized or T.parallel: its iterations are not proved
/// to touch no memory in common.
inline const std::string lanes_refused_key = "lanes_refused";
inline const std::string threads_refused_key = "threads_refused";

/// On an allocation whose rows lie as they are although a swizzle was asked for.
inline const std::string swizzle_refused_key = "swizzle_refused";

/// One sentence a request that lowering did not honour, for people; f is lowered.
std::vector<std::string> notes(const Function& f);

}  // namespace ardea::lower
