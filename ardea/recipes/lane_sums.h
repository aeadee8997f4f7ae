#pragma once

#include <cstdint>
#include <optional>

#include "ardea/schedule/schedule.h"
#include "ardea/target/target.h"

/// Reductions along a row, as sums in vector registers.

namespace ardea::recipes {

struct LaneSum {
  std::int64_t rows = 1;     ///< that are summed side by side
  std::int64_t vectors = 1;  ///< of partial results of each row
  std::int64_t lanes = 1;    ///< of one vector
  std::int64_t width() const { return lanes * vectors; }
};

/// What is reduced: `rows` of `extent` numbers each, every one of them as often as there are `others` that it
/// meets.
struct Rows {
  std::int64_t rows = 1, others = 1, extent = 1;
};

/// As many partial results as keep the units of a core busy while additions are under way, in half of the
/// registers; no more than there are rows and numbers. All are powers of two.
LaneSum lane_sum_for(const Rows& rows, int bits, const target::Target& target);

/// Whether numbers of this type are summed in registers as they are.
bool is_summed(DataType type);

/// for i, r: S[i] op= t(i, r)   ⇒   vectors of partial results in registers, and what they make together:
///
///   for r_0: for i: for u, lane: P[i, u, lane] op= t(i, r_0 * width + u * lanes + lane)
///   for i: the halves of P[i] are put together until one number is left
///
/// `block` is a reduction whose innermost loop r is its only one that reduces. Between it and the first
/// `outer` loops, which stay around all, are the loops over the rows of a tile. What `width` does not divide
/// is an iteration of its own. `block` names the last step afterwards. The loop r_0, where there is one.
std::optional<schedule::LoopRef> reduce_in_lanes(schedule::Schedule& s, const schedule::BlockRef& block,
                                                 std::size_t outer, const LaneSum& sum);

}  // namespace ardea::recipes
