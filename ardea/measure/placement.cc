#include "ardea/measure/placement.h"

#include "ardea/support/error.h"

namespace ardea::measure {

Placement place(const std::vector<std::vector<int>>& cores, int threads) {
  require(threads > 0, "place: {} threads, there must be at least one", threads);
  require(!cores.empty(), "place: there is no core");
  Placement placement;
  const auto wanted = static_cast<std::size_t>(threads);
  const std::size_t timing = std::min(wanted, cores.size()), others = cores.size() - timing;
  for (std::size_t core = others; core < cores.size(); ++core) placement.timing.push_back(cores[core][0]);
  // More threads than cores: the other processors of the same cores.
  for (std::size_t i = 1; placement.timing.size() < wanted; ++i) {
    bool found = false;
    for (std::size_t core = others; core < cores.size() && placement.timing.size() < wanted; ++core)
      if (i < cores[core].size()) {
        placement.timing.push_back(cores[core][i]);
        found = true;
      }
    if (!found) break;
  }
  placement.shares_cores = others == 0;
  for (std::size_t core = 0; core < (others == 0 ? cores.size() : others); ++core)
    placement.building.insert(placement.building.end(), cores[core].begin(), cores[core].end());
  return placement;
}

}  // namespace ardea::measure
