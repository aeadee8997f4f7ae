#include <fmt/core.h>

#include "ardea/search/strategy.h"

namespace ardea::search {

// docs/search.md has the simulation behind this: cga is never behind chance, ahead of it from 64 trials on,
// and asks four times as fast as annealing, from which so few simulated machines cannot tell it.
Default default_method(std::int64_t trials, double points) {
  if (points <= static_cast<double>(trials))
    return {&method("grid"),
            fmt::format("{} trials are enough for all {:.0f} points of the space", trials, points)};
  return {
      &method("cga"),
      fmt::format("{} trials of {:.3g} points must be chosen well, and in simulation this method was never "
                  "behind chance, and ahead of it from 64 trials on",
                  trials, points)};
}

}  // namespace ardea::search
