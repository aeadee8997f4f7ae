#pragma once

#include <map>
#include <string>

#include "ardea/schedule/schedule.h"
#include "ardea/support/random.h"

namespace ardea::schedule {

struct StepCount {
  std::int64_t applied = 0, refused = 0;
};
using StepCounts = std::map<std::string, StepCount>;  ///< by primitive

/// Tries `steps` random steps on random loops and blocks. A refusal must be a sentence; anything else that is
/// thrown is a fault, and leaves here.
void take_random_steps(Schedule& schedule, Random& random, int steps, StepCounts& counts);

}  // namespace ardea::schedule
