#include <fmt/core.h>

#include "ardea/search/strategy.h"

namespace ardea::search {

Default default_method(std::int64_t trials, double points) {
  if (points <= static_cast<double>(trials))
    return {&method("grid"), fmt::format("all {:.0f} points are within {} trials", points, trials)};
  return {&method("cga"), fmt::format("{} trials of {:.3g} points", trials, points)};
}

}  // namespace ardea::search
