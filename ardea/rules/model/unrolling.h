#pragma once

#include <cstdint>
#include <vector>

/// How much of the loops that sum up products should be written out.

namespace ardea::rules {

struct Unrolling {
  std::size_t whole = 0;  ///< so many of the innermost loops are written out
  std::int64_t part = 1;  ///< and so many iterations of the next one
};

/// The innermost loops that reduce, as long as an iteration holds no more products than the instruction
/// caches like; of a long innermost loop as much as makes its own instructions cheap. `products` stand in it
/// before.
Unrolling choose_unrolling(const std::vector<std::int64_t>& extents, std::int64_t products);

}  // namespace ardea::rules
