#pragma once

#include "ardea/rules/derivation.h"

/// The innermost part of sums of products: sums in registers, one step after another.

namespace ardea::rules {

/// A block `sum` whose two innermost loops are the rows and the columns of a tile, inside the loops that
/// reduce; `out` copies its results out of the registers.
struct SumBlocks {
  schedule::BlockRef sum, out;
};

/// Results leave the registers under the loop `around`; sums start before `reduced`, the first loop that
/// reduces. Rows are written out and columns become lanes, in the results too, where the rows' loop is the
/// `result_rows`-th from the end, and the columns' the `result_columns`-th.
void keep_in_registers(Derivation& d, const SumBlocks& blocks, const schedule::LoopRef& around,
                       const schedule::LoopRef& reduced, std::size_t result_rows = 2,
                       std::size_t result_columns = 1);

/// How the loops that reduce, in each of these nests, are written out (model/unrolling.h). How many of them
/// is a way, where that is asked, how much of the next one a knob.
void unroll_sum(Derivation& d, const std::string& name,
                const std::vector<std::vector<schedule::LoopRef>>& nests,
                const std::vector<std::int64_t>& extents, std::int64_t products, bool asks = true);

}  // namespace ardea::rules
