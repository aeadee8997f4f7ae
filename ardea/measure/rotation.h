#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ardea/runtime/time_evaluator.h"

/// Timing several contenders so that the machine treats them alike: on a shared machine the speed drifts, and
/// who is measured later is measured on another machine.

namespace ardea::measure {

struct RotationOptions {
  std::int64_t rounds = 0;  ///< 0: as many as `budget_s` allows, from 6 to 301
  double budget_s = 5;
  /// Calls in a row, the same for all: as many as the fastest contender needs to take this long, because a
  /// clock cannot tell a shorter turn from noise.
  double turn_s = 200e-6;
  /// Between turns the caller spins for so long: threads of the last contender that still wait for work in a
  /// loop go to sleep before the next one's turn.
  double pause_s = 0;
  /// Told the number of each round before it begins.
  std::function<void(std::int64_t round)> begin_round = [](std::int64_t) {};
  std::function<double()> clock = runtime::steady_seconds;
};

struct Rotation {
  std::int64_t rounds = 0;
  std::int64_t calls = 0;                    ///< in a turn
  std::vector<std::vector<double>> seconds;  ///< a call's, by contender and round
};

/// So many calls in a row.
using Turn = std::function<void(std::int64_t calls)>;

/// In every round each contender has one turn; round r begins with contender r, so that each comes first,
/// second, … equally often. A turn begins with a call that is not timed where a call is short: whatever the
/// one before left in the caches, all find their operands as their own last call left them.
Rotation rotate(const std::vector<Turn>& contenders, const RotationOptions& options);

}  // namespace ardea::measure
