#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ardea/support/trial_outcome.h"

namespace ardea::measure {

struct RaceOptions {
  double precision = 0.01;  ///< how far the ends of the interval may be from the median, as a share of it
  double most_s = 0.3;      ///< for all samples of a candidate together
  int most_samples = 301;
};

/// How long one candidate is timed: until its time is known well enough, or it is clearly slower than the
/// incumbent. Pure: whoever times it tells the samples.
class Race {
 public:
  enum class Next {
    again,       ///< one more sample, please
    precise,     ///< the interval is narrow enough
    slower,      ///< its lower end is above the incumbent's upper one by a factor
    time_is_up,  ///< what is known is all that can be known for the price
  };

  explicit Race(RaceOptions options, std::optional<CallTime> incumbent = {})
      : options_(options), incumbent_(incumbent) {}

  /// Seconds of a call, from a sample that took so long in all.
  Next add(double call_s, double took_s);

  /// The median with its interval; of too few samples for one, with the least and the greatest of them.
  CallTime time() const;
  std::size_t samples() const { return calls_s_.size(); }

 private:
  RaceOptions options_;
  std::optional<CallTime> incumbent_;
  std::vector<double> calls_s_;
  double spent_s_ = 0;
};

}  // namespace ardea::measure
