#include "ardea/measure/race.h"

#include <algorithm>
#include <array>

#include "ardea/measure/statistics.h"
#include "ardea/support/error.h"

namespace ardea::measure {

namespace {

/// How much slower the least of so many samples must be than the incumbent: a single one may have been
/// disturbed, of several one was not.
double clearly_slower(std::size_t samples) {
  constexpr std::array<double, 5> factors = {2, 1.3, 1.2, 1.15, 1.1};
  constexpr double with_interval = 1.05;
  return samples <= factors.size() ? factors.at(samples - 1) : with_interval;
}

/// Fewer say nothing about how noisy the samples are.
constexpr std::size_t fewest_samples = 3;

}  // namespace

CallTime Race::time() const {
  ensure(!calls_s_.empty(), "a race without a sample has no time");
  if (calls_s_.size() >= static_cast<std::size_t>(least_values())) {
    const Interval interval = median_interval(calls_s_);
    return {interval.median, interval.low, interval.high};
  }
  const auto [least, greatest] = std::minmax_element(calls_s_.begin(), calls_s_.end());
  return {median(calls_s_), *least, *greatest};
}

Race::Next Race::add(double call_s, double took_s) {
  calls_s_.push_back(call_s);
  spent_s_ += took_s;
  const CallTime now = time();
  if (incumbent_ && now.low_s > clearly_slower(calls_s_.size()) * incumbent_->high_s) return Next::slower;
  const bool has_interval = calls_s_.size() >= static_cast<std::size_t>(least_values());
  const double within = options_.precision * now.median_s;
  if (has_interval && now.high_s - now.median_s <= within && now.median_s - now.low_s <= within)
    return Next::precise;
  // A call that takes seconds is no rival, and its noise is small beside it.
  const double most_s = calls_s_.size() >= fewest_samples ? options_.most_s : 4 * options_.most_s;
  if (spent_s_ >= most_s) return Next::time_is_up;
  if (calls_s_.size() >= static_cast<std::size_t>(options_.most_samples)) return Next::time_is_up;
  return Next::again;
}

}  // namespace ardea::measure
