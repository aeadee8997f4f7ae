#pragma once

#include <functional>
#include <span>
#include <vector>

#include "ardea/runtime/function.h"

namespace ardea::runtime {

/// Seconds a call, from several repeats.
struct Timing {
  double median_s = 0, mean_s = 0, min_s = 0, max_s = 0;
  std::vector<double> samples;  ///< one a repeat, in the order measured
  std::int64_t number = 0;      ///< calls in the last repeat
};

Timing summarize(std::vector<double> samples, std::int64_t number);

/// Seconds since some moment, never going back.
double steady_seconds();

/// Times a function on given arguments. A repeat is `number` calls in a row, divided by that number; where a
/// repeat takes less than `min_repeat_ms`, `number` is raised and the repeat begins again, because a clock
/// cannot tell a short one from noise.
struct TimeEvaluator {
  std::int64_t number = 1;
  std::int64_t repeat = 5;
  double min_repeat_ms = 0;
  std::int64_t warmup = 1;  ///< calls before the first repeat, not timed
  std::function<double()> clock = steady_seconds;

  Timing operator()(const Function& function, std::span<const Value> arguments) const;
};

}  // namespace ardea::runtime
