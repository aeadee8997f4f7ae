#include "ardea/measure/judgement.h"

#include <fmt/core.h>

#include "ardea/measure/statistics.h"
#include "ardea/measure/worker_kinds.h"

namespace ardea::measure {

void require_right(const CheckReport& report) {
  for (const Comparison& c : report.arguments) {
    if (c.mismatches > 0)
      throw TrialFailure(
          TrialOutcome::wrong_answer,
          fmt::format("{} is wrong in {} of {} elements: element {} is {:g}, not {:g} (± {:g})", c.argument,
                      c.mismatches, c.elements, c.index, c.got, c.expected, c.tolerance));
    if (c.unbounded > 0)
      throw TrialFailure(TrialOutcome::wrong_answer,
                         fmt::format("{} cannot be checked: {} of {} elements have no finite tolerance",
                                     c.argument, c.unbounded, c.elements));
  }
}

CallTime call_time(const std::vector<double>& values) {
  const Interval interval = median_interval(values);
  return {interval.median, interval.low, interval.high};
}

bool is_near_incumbent(const CallTime& time, const CallTime& incumbent) {
  constexpr double near = 1.02, clear = 1.1;
  return time.low_s <= near * incumbent.high_s && clear * time.high_s >= incumbent.low_s;
}

}  // namespace ardea::measure
