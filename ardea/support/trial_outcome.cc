#include "ardea/support/trial_outcome.h"

#include <array>

namespace ardea {

namespace {

constexpr std::array<std::string_view, 7> names = {
    "timed", "compile failed", "launch failed", "wrong answer", "timed out", "crashed", "device lost"};

}  // namespace

std::span<const std::string_view> trial_outcome_names() { return names; }

std::string_view to_string(TrialOutcome outcome) { return names.at(static_cast<std::size_t>(outcome)); }

std::optional<TrialOutcome> trial_outcome_of(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<TrialOutcome>(i);
  return std::nullopt;
}

}  // namespace ardea
