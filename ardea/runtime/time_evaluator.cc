#include "ardea/runtime/time_evaluator.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace ardea::runtime {

namespace {

/// Enough calls to reach the wanted time by this repeat's speed, with a little to spare; at least one more,
/// and at most ten times as many, since one slow or fast repeat says little about the next.
std::int64_t raised(std::int64_t number, double took_s, double wanted_s) {
  const double least = static_cast<double>(number) + 1, most = static_cast<double>(number) * 10;
  const double needed = took_s > 0 ? static_cast<double>(number) * wanted_s / took_s * 1.05 : most;
  return static_cast<std::int64_t>(std::ceil(std::clamp(needed, least, std::max(least, most))));
}

}  // namespace

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Timing summarize(std::vector<double> samples, std::int64_t number) {
  require(!samples.empty(), "summarize: there are no samples");
  Timing timing;
  std::vector<double> sorted = samples;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  timing.median_s = sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  timing.mean_s = std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(sorted.size());
  timing.min_s = sorted.front();
  timing.max_s = sorted.back();
  timing.samples = std::move(samples);
  timing.number = number;
  return timing;
}

Timing TimeEvaluator::operator()(const Function& function, std::span<const Value> arguments) const {
  require(number >= 1, "TimeEvaluator: number is {}, it must be 1 or more", number);
  require(repeat >= 1, "TimeEvaluator: repeat is {}, it must be 1 or more", repeat);
  require(warmup >= 0, "TimeEvaluator: warmup is {}, it must be 0 or more", warmup);
  require(min_repeat_ms >= 0 && std::isfinite(min_repeat_ms),
          "TimeEvaluator: min_repeat_ms is {}, it must be 0 or more", min_repeat_ms);
  const PreparedCall call(function, arguments);
  for (std::int64_t i = 0; i < warmup; ++i) call.run();
  const double wanted_s = min_repeat_ms / 1000;
  std::int64_t calls = number;
  std::vector<double> samples;
  while (static_cast<std::int64_t>(samples.size()) < repeat) {
    const double begin = clock();
    for (std::int64_t i = 0; i < calls; ++i) call.run();
    const double took_s = clock() - begin;
    if (took_s < wanted_s)
      calls = raised(calls, took_s, wanted_s);
    else
      samples.push_back(took_s / static_cast<double>(calls));
  }
  return summarize(std::move(samples), calls);
}

}  // namespace ardea::runtime
