#include "ardea/measure/rotation.h"

#include <algorithm>
#include <cmath>

#include "ardea/support/error.h"

namespace ardea::measure {

namespace {

/// As many rounds as the budget allows; where that is few, up to four times the budget for a fair number of
/// them, and at least what an interval needs.
std::int64_t rounds_within(double budget_s, double round_s) {
  constexpr double fair = 15, most = 301;
  const double affordable = budget_s / round_s;
  const double rounds =
      affordable >= fair ? std::min(affordable, most) : std::clamp(4 * affordable, 6.0, fair);
  return static_cast<std::int64_t>(rounds);
}

/// A longer call reads its operands anew anyway, or computes so much that it does not matter.
constexpr double short_call_s = 5e-3;

/// The second call's time: the first one meets cold caches, pages and threads.
double one_call_s(const Turn& turn, const std::function<double()>& clock) {
  turn(1);
  const double start = clock();
  turn(1);
  return clock() - start;
}

void spin(double seconds, const std::function<double()>& clock) {
  if (seconds <= 0) return;
  for (const double end = clock() + seconds; clock() < end;) {}
}

}  // namespace

Rotation rotate(const std::vector<Turn>& contenders, const RotationOptions& options) {
  require(!contenders.empty(), "rotate: there are no contenders");
  require(options.rounds >= 0, "rotate: {} rounds, must be 0 or more", options.rounds);
  std::vector<double> estimates;
  for (const Turn& turn : contenders) estimates.push_back(one_call_s(turn, options.clock));
  const double fastest = std::max(1e-9, *std::min_element(estimates.begin(), estimates.end()));
  Rotation rotation;
  rotation.calls = std::max<std::int64_t>(1, std::llround(std::ceil(options.turn_s / fastest)));
  double round_s = 1e-9;
  for (const double estimate : estimates)
    round_s +=
        estimate * static_cast<double>(rotation.calls + (estimate < short_call_s ? 1 : 0)) + options.pause_s;
  rotation.rounds = options.rounds > 0 ? options.rounds : rounds_within(options.budget_s, round_s);
  rotation.seconds.resize(contenders.size());
  for (std::int64_t round = 0; round < rotation.rounds; ++round) {
    options.begin_round(round);
    for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
      const std::size_t who = (static_cast<std::size_t>(round) + turn) % contenders.size();
      spin(options.pause_s, options.clock);
      if (estimates[who] < short_call_s) contenders[who](1);
      const double start = options.clock();
      contenders[who](rotation.calls);
      rotation.seconds[who].push_back((options.clock() - start) / static_cast<double>(rotation.calls));
    }
  }
  return rotation;
}

}  // namespace ardea::measure
