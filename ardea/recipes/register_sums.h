#pragma once

#include "ardea/schedule/schedule.h"

/// The innermost part of products and convolutions: sums in registers, one step after another.

namespace ardea::recipes {

/// A block `sum` whose two innermost loops are the rows and the columns of a tile, inside the loops that
/// reduce; `out` copies its results out of the registers.
struct SumBlocks {
  schedule::BlockRef sum, out;
};

/// Results leave the registers under the loop `around`; sums start before `reduced`, the first loop that
/// reduces. Rows are written out and columns become lanes, in the results too, where the rows' loop is the
/// `result_rows`-th from the end.
void keep_in_registers(schedule::Schedule& s, const SumBlocks& blocks, const schedule::LoopRef& around,
                       const schedule::LoopRef& reduced, std::size_t result_rows = 2);

/// Writes out the innermost of the loops that reduce, as long as an iteration holds no more products than the
/// instruction caches like; of a long innermost loop as much as makes its own instructions cheap. `products`
/// stand in it so far.
void unroll_sum(schedule::Schedule& s, const std::vector<schedule::LoopRef>& reduced,
                const std::vector<std::int64_t>& extents, std::int64_t products);

}  // namespace ardea::recipes
