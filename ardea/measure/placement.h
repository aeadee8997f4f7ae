#pragma once

#include <vector>

namespace ardea::measure {

/// Where workers run, by the numbers of processors: compiling disturbs nobody who is timed.
struct Placement {
  std::vector<int> timing;    ///< one processor a thread, each on a core of its own where there are enough
  std::vector<int> building;  ///< all of the cores that do not time; all, where none is left
  bool shares_cores = false;  ///< building and timing have to take turns
  friend bool operator==(const Placement&, const Placement&) = default;
};

/// The last cores time: the first ones have the system's own work. `cores`: the processors of each
/// (target::processors_by_core).
Placement place(const std::vector<std::vector<int>>& cores, int threads);

}  // namespace ardea::measure
