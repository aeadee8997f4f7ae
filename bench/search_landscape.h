#pragma once

#include <map>
#include <string>
#include <vector>

#include "ardea/cost/model.h"
#include "ardea/space/choice.h"
#include "ardea/space/solver.h"

namespace ardea::bench {

/// A made-up machine: what the points of a space take on it, in seconds. It begins with the cycles that the
/// analytic model counts (cost/analytic_model.h), which order real times well, and is then bent by seed, by
/// what real machines have in common: tiles have a best size, on both sides of which time grows with the
/// logarithm; numbers that follow from several knobs (bytes, tiles, steps) have a limit beyond which they
/// cost more, some suddenly; categories differ by a factor; so do the traits of sketches, and each has a
/// little of its own. What is the same knob, or the same expression over knobs, means the same in every
/// sketch. What it cannot make: noise, and effects of a single point.
class Landscape {
 public:
  struct Sketch {
    const space::Solver* solver = nullptr;
    std::vector<std::string> traits = {};  ///< what it shares with others
  };
  /// Model and sketches outlive it.
  Landscape(const std::vector<Sketch>& sketches, const cost::Model& cycles, std::uint64_t seed);

  double seconds(const space::Choice& choice) const;

 private:
  const cost::Model* cycles_;
  /// What a variable's value costs.
  struct Effect {
    int variable = -1;
    double best = 0, low = 0, high = 0;  ///< ln cost per squared log2 of distance, below and above
    double cliff = 0;                    ///< beyond `best`, at once
    std::map<std::int64_t, double> by_value = {};
  };
  std::vector<std::vector<Effect>> effects_;  ///< by sketch
  std::vector<double> offsets_;               ///< by sketch
};

}  // namespace ardea::bench
