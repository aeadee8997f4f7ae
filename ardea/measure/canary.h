#pragma once

#include <vector>

namespace ardea::measure {

/// Two fixed pieces of work, timed between trials: how fast the machine is just now, whatever the candidates
/// are.
struct CanaryReading {
  double arithmetic_s = 0;  ///< a chain of additions
  double memory_s = 0;      ///< a sum over more than the caches of one core hold

  friend bool operator==(const CanaryReading&, const CanaryReading&) = default;
};

/// Takes a reading on this thread, a few milliseconds: of several turns the quickest, so that an interruption
/// does not count.
CanaryReading read_canary();

struct CanaryOptions {
  double arithmetic = 1.1;  ///< so many times as slow: the machine has slowed
  double memory = 1.3;      ///< a neighbour's traffic comes and goes
  int most_discarded = 2;   ///< rounds in a row
};

/// Whether the machine is still the one on which the incumbent was timed. Pure: whoever reads tells.
class Canary {
 public:
  explicit Canary(CanaryOptions options = {}) : options_(options) {}

  enum class Verdict {
    steady,
    discard,  ///< it has slowed: the round that ended with this reading is to be repeated
    moved,    ///< slowed for good, or quicker again: this is the new level, the incumbent is to be timed anew
  };
  /// The reading after a round.
  Verdict read(const CanaryReading& reading);

  const CanaryReading& level() const { return level_; }

 private:
  CanaryOptions options_;
  CanaryReading level_ = {};
  bool begun_ = false;
  int slow_ = 0, quick_ = 0;
};

}  // namespace ardea::measure
