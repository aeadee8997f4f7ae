#include <fmt/core.h>

#include "ardea/search/strategy.h"

namespace ardea::search {

// docs/search.md has the simulation behind this: cga is ahead of chance from the first batch on, since that
// is spread over the sketches, and stays so; it asks ten times as fast as annealing.
Default default_method(std::int64_t trials, double points) {
  if (points <= static_cast<double>(trials))
    return {&method("grid"),
            fmt::format("{} trials are enough for all {:.0f} points of the space", trials, points)};
  return {&method("cga"),
          fmt::format("{} trials of {:.3g} points must be chosen well, and in simulation this method was "
                      "ahead of chance at every number of trials",
                      trials, points)};
}

}  // namespace ardea::search
