#pragma once

#include <cstdint>

namespace ardea::rules {

/// m × n sums of k products each.
struct ProductSizes {
  std::int64_t m = 1, n = 1, k = 1;
};

}  // namespace ardea::rules
