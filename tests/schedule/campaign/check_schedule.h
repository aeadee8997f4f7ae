#pragma once

#include <string>

#include "tests/schedule/campaign/random_steps.h"
#include "tests/schedule/campaign/workers.h"

namespace ardea::schedule {

/// Throws unless what the steps leave verifies, replays from its trace (a script for even seeds, JSON for odd
/// ones), gives the original program's answers, interpreted and (where asked for) compiled, and lowers to
/// loops with the memory of their own that the steps counted on.
void check(const Function& original, const Schedule& schedule, std::uint64_t seed, bool compiled = true);

/// Whether the program that the seed led to is one of the share. Lanes are where compiled code is furthest
/// from what the interpreter runs, and few programs have them: a vectorized loop gives a program three
/// chances.
bool is_compiled(const Function& program, std::uint64_t seed, double share);

/// Checks a random program under a random schedule, both from the seed. What is wrong, with the programs and
/// the trace; empty where nothing is.
std::string schedule_failure(std::uint64_t seed, const CampaignOptions& options, StepCounts& counts);

/// A line a primitive: how often it was applied and refused.
std::string count_table(const StepCounts& counts);

/// A line a reason, the most that were legal first.
std::string refusal_table(const StepCounts& counts);

}  // namespace ardea::schedule
