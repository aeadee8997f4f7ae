#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/schedule/campaign/random_steps.h"

/// The program around a campaign: seeds shared among processes, a table of what was counted.

namespace ardea::schedule {

/// What its command line says about each seed.
struct CampaignOptions {
  double compiled = 1;  ///< the share of programs that are also compiled and run, of those with lanes more
  bool show = false;    ///< print every program and its steps, whether anything is wrong or not
};

struct Campaign {
  std::string name;         ///< of the program
  std::string description;  ///< for --help
  /// What is wrong with a seed, empty where nothing is. Counts what it did on the way.
  std::function<std::string(std::uint64_t seed, const CampaignOptions& options, StepCounts& counts)> failure;
  std::vector<std::string> counted;  ///< of which --least demands a number
  /// Of which --least-dependent demands a number, on loops with dependent bounds or indices.
  std::vector<std::string> counted_on_dependent = {};
};

/// main of it: 0 where no seed failed and everything was counted often enough.
int run_campaign(const Campaign& campaign, int argc, char** argv);

}  // namespace ardea::schedule
