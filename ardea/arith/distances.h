#pragma once

#include <optional>
#include <vector>

#include "ardea/arith/regions.h"

/// How far apart iterations of loops are that touch the same memory. Each rule stands with its proof in the
/// source.

namespace ardea::arith {

/// The signs that the distance of two iterations on one loop may have, where both touch one element. What is
/// not ruled out may be.
struct Signs {
  bool negative = true, zero = true, positive = true;
};

/// The signs that the distance of two accesses of one buffer may have on each loop (outermost first; their
/// ranges may depend on each other): the iteration of the second minus that of the first, where they touch
/// the same element.
std::vector<Signs> distances(const BufferRegion& first, const BufferRegion& second,
                             const std::vector<LoopRange>& loops, const Analyzer& facts);

/// Whether different iterations of the loops in which all `conditions` hold give different values.
bool tell_apart(const std::vector<Expr>& values, const std::vector<LoopRange>& loops,
                const std::vector<Expr>& conditions, const Analyzer& facts);

/// An access inside the innermost of some loops, and what it says of these by happening.
struct PlacedAccess {
  const Access& access;
  std::vector<Expr> conditions;
};
std::vector<PlacedAccess> placed(const std::vector<Access>& accesses, const std::vector<LoopRange>& loops);

/// Whether distances can be told. Views of one memory, and addresses given away, may meet anywhere, as may
/// what follows the content of memory.
bool comparable(const Access& a, const Access& b);

/// The distances of two comparable accesses by all that is known of each: its conditions, and the loops that
/// it is in itself.
std::vector<Signs> distances(const PlacedAccess& first, const PlacedAccess& second,
                             const std::vector<LoopRange>& loops, const Analyzer& facts);
/// The same, or nothing where it is known without their boxes, which are dear, that they meet in one
/// iteration of the loops at most.
std::optional<std::vector<Signs>> distances_of_iterations(const PlacedAccess& first,
                                                          const PlacedAccess& second,
                                                          const std::vector<LoopRange>& loops,
                                                          const Analyzer& facts);

/// Whether both say the same of where they happen, before loops inside are relaxed: what is known of the one
/// without its box holds of the other.
bool same_instances(const PlacedAccess& a, const PlacedAccess& b);
/// Whether they are one access in all but the names of the loops inside, and so conflict with the same
/// others: found by the same facts, and with the same loops and conditions around them.
bool are_alike(const PlacedAccess& a, const PlacedAccess& b);
/// Whether they touch the same box while the loops inside run.
bool same_boxes(const PlacedAccess& a, const PlacedAccess& b);

}  // namespace ardea::arith
