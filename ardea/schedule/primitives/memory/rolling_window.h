#pragma once

#include "ardea/schedule/context.h"
#include "ardea/schedule/program/tree.h"

/// The part of a buffer that a block computes in one iteration of a loop, as a window that the loop moves.

namespace ardea::schedule {

struct RollingWindow {
  std::size_t iterator = 0;   ///< of the block: the one whose values follow the loop
  std::size_t dimension = 0;  ///< of the buffer, that this iterator alone decides
  Expr first;                 ///< the first value of the iterator in an iteration, over the loop's variable
  Expr previous;              ///< that of the iteration before
  Expr rows;                  ///< how many values there are, in every iteration
};

/// The window of the block at the end of the path, whose only write is an element, in the loop path[loop];
/// all between the two are loops. In each iteration the block runs for
///     { v : v[iterator] ∈ [first, first + rows), v[k] ∈ B_k, P(v) }
/// where neither the boxes B_k nor P follow the loop. So an instance of two iterations is one of all between
/// them, too. Reductions are whole.
Result<RollingWindow> rolling_window(const Function& f, const Path& path, std::size_t loop, Context& context);

/// Refused where it is not proved that the block at the end of the path, which stands in loops only inside
/// the loop path[loop], combines the same values for an element in each iteration of that loop that comes to
/// it.
std::optional<Refusal> refuse_other_sums(const Function& f, const Path& path, std::size_t loop,
                                         Context& context);

}  // namespace ardea::schedule
