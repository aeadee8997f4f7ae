#pragma once

#include <string>

#include "tests/schedule/campaign/workers.h"
#include "tests/stages/campaign/random_directives.h"

namespace ardea::stages {

/// A random graph under random directives, both from the seed: whatever is refused is refused with a sentence
/// that names the directive, and is left out; the others together keep the answers of the graph, interpreted
/// and compiled, and their trace replays. What is wrong, with the directives and the programs; empty where
/// nothing is.
std::string stages_failure(std::uint64_t seed, const schedule::CampaignOptions& options, StepCounts& counts);

}  // namespace ardea::stages
