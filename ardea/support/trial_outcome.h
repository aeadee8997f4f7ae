#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

/// What came of one trial of a program: measurement says it, the database keeps it, models and strategies
/// learn from it.

namespace ardea {

enum class TrialOutcome : std::uint8_t {
  timed,
  compile_failed,
  launch_failed,
  wrong_answer,
  timed_out,
  crashed,
  device_lost,
};
/// In the order of the outcomes.
std::span<const std::string_view> trial_outcome_names();
std::string_view to_string(TrialOutcome outcome);
std::optional<TrialOutcome> trial_outcome_of(std::string_view name);

/// Seconds of a call: the median of the rounds, and an interval that holds the true one.
struct CallTime {
  double median_s = 0, low_s = 0, high_s = 0;

  friend bool operator==(const CallTime&, const CallTime&) = default;
};

}  // namespace ardea
