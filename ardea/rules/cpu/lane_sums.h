#pragma once

#include <optional>

#include "ardea/rules/derivation.h"
#include "ardea/rules/model/lane_sums.h"

/// Reductions along a row, as sums in vector registers.

namespace ardea::rules {

/// The number of partial results decides how many steps put them together: each number is a way of its own.
/// The rows beside each other are the model's where its registers allow.
LaneSum choose_lane_sum(Derivation& d, const std::string& name, const Rows& rows, const LaneSum& model,
                        int bits);

/// for i, r: S[i] op= t(i, r)   ⇒   vectors of partial results in registers, and what they make together:
///
///   for r_0: for i: for u, lane: P[i, u, lane] op= t(i, r_0 * width + u * lanes + lane)
///   for i: the halves of P[i] are put together until one number is left
///
/// `block` is a reduction whose innermost loops, `reduced` of them and r the last, are those that reduce.
/// Between them and the first `outer` loops, which stay around all, are the loops over the rows of a tile.
/// What `width` does not divide is an iteration of its own. `block` names the last step afterwards. The loop
/// r_0, where there is one.
std::optional<schedule::LoopRef> reduce_in_lanes(schedule::Schedule& s, const schedule::BlockRef& block,
                                                 std::size_t outer, const LaneSum& sum,
                                                 std::size_t reduced = 1);

}  // namespace ardea::rules
