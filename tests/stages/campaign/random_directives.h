#pragma once

#include <set>

#include "ardea/stages/schedule.h"
#include "tests/schedule/campaign/random_steps.h"
#include "tests/stages/campaign/random_graph.h"

namespace ardea::stages {

/// Directives by their names. Refused ones are counted when they are called or when they are realised.
using schedule::StepCounts;

/// Tries `attempts` random directives on random stages, in an order in which no user would write them.
/// `without` are the attempts to leave out: those that made directives which were refused later. Gives, for
/// each directive that was recorded, the attempt that it came from.
std::vector<int> give_random_directives(const Schedule& s, const RandomGraph& graph, std::uint64_t seed,
                                        int attempts, const std::set<int>& without, StepCounts& counts);

/// All that is counted.
std::vector<std::string> directive_names();

}  // namespace ardea::stages
