#include "ardea/measure/timed_call.h"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>

namespace ardea::measure {

namespace {

struct Sample {
  double call_s = 0, took_s = 0;
  bool disturbed = false;
};

class Sampler {
 public:
  Sampler(const Turn& turn, const TimedCallOptions& options) : turn_(turn), options_(options) {}

  Sample take(std::int64_t calls) const {
    if (options_.restore) options_.restore();
    const std::int64_t before = options_.interruptions ? options_.interruptions() : 0;
    const double start = options_.clock();
    turn_(calls);
    const double took = options_.clock() - start;
    const std::int64_t after = options_.interruptions ? options_.interruptions() : 0;
    return {took / static_cast<double>(calls), took, after != before};
  }

 private:
  const Turn& turn_;
  const TimedCallOptions& options_;
};

}  // namespace

std::int64_t involuntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

TimedCall time_call(const Turn& turn, const TimedCallOptions& options) {
  const Sampler sampler(turn, options);
  TimedCall timed;
  timed.calls = 1;
  Sample sample = sampler.take(1);
  if (sample.took_s < options.sample_s) {
    const double call_s = std::max(sample.call_s, 1e-9);
    timed.calls = std::max<std::int64_t>(2, std::llround(std::ceil(options.sample_s / call_s)));
    sample = sampler.take(timed.calls);
  }
  Race race(options.race, options.incumbent), with_disturbed = race;
  double left_out_s = 0;
  for (;;) {
    const Race::Next all = with_disturbed.add(sample.call_s, sample.took_s);
    Race::Next next = Race::Next::again;
    if (sample.disturbed) {
      ++timed.disturbed;
      left_out_s += sample.took_s;
    } else {
      next = race.add(sample.call_s, sample.took_s);
    }
    // On a machine where every sample is disturbed, disturbed ones are all there are. They cost as much again
    // as the others may, and a candidate that even so is clearly slower need not be undisturbed.
    const bool patience_is_over = left_out_s >= options.race.most_s;
    if (next == Race::Next::again && patience_is_over && all != Race::Next::again) {
      const Race& known = race.samples() >= 3 ? race : with_disturbed;
      timed.time = known.time();
      timed.samples = static_cast<std::int64_t>(known.samples());
      timed.raced = all == Race::Next::slower;
      return timed;
    }
    if (next != Race::Next::again) {
      timed.time = race.time();
      timed.samples = static_cast<std::int64_t>(race.samples());
      timed.raced = next == Race::Next::slower;
      return timed;
    }
    sample = sampler.take(timed.calls);
  }
}

}  // namespace ardea::measure
