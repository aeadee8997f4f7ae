#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "ardea/measure/race.h"
#include "ardea/measure/rotation.h"
#include "ardea/runtime/time_evaluator.h"

namespace ardea::measure {

struct TimedCallOptions {
  RaceOptions race = {};
  std::optional<CallTime> incumbent = {};
  /// Calls in a row that make a sample take at least so long, because a clock cannot tell less from noise.
  double sample_s = 200e-6;
  /// Before each sample, outside of what is timed: gives arguments that the calls change their values back.
  std::function<void()> restore = {};
  std::function<double()> clock = runtime::steady_seconds;
  /// How often others have taken the processor away so far. A sample during which they did counts only where
  /// there are not enough others.
  std::function<std::int64_t()> interruptions = {};
};

struct TimedCall {
  CallTime time;
  std::int64_t samples = 0, calls = 0;  ///< calls of one sample
  std::int64_t disturbed = 0;           ///< samples that were left out
  bool raced = false;                   ///< it was clearly slower, and the time is rough
};

/// Times one candidate, whose first call (page faults, cold caches) is somebody else's.
TimedCall time_call(const Turn& turn, const TimedCallOptions& options);

/// Of this process, as the system counts.
std::int64_t involuntary_switches();

}  // namespace ardea::measure
