#pragma once

#include <vector>

#include "ardea/arith/regions.h"
#include "ardea/ir/stmt.h"

/// Which iterations of loops touch the same memory, and in which order they must therefore stay.

namespace ardea::arith {

/// The signs that the distance of two iterations on one loop may have, where both touch one element. What is
/// not ruled out may be.
struct Signs {
  bool negative = true, zero = true, positive = true;
};

/// Two accesses of one memory under a list of loops, at least one of them a write.
struct Conflict {
  BufferRegion first, second;  ///< in program order
  /// For each loop: the iteration of the second minus that of the first.
  std::vector<Signs> distance;
};

/// Every conflict of different iterations inside `body`, the statement in the innermost of `loops` (outermost
/// first), whose ranges may depend on each other. Loops around these are the same iteration for both. Updates
/// of one recognised reduction among themselves are left out: they may run in any order, though not at the
/// same time, unless `concurrent` asks for them, too. Memory that the body allocates is its own.
std::vector<Conflict> conflicts(const Stmt& body, const std::vector<LoopRange>& loops, const Analyzer& facts,
                                bool concurrent);

/// Every conflict of something in `first` with something in `second`, statements in the innermost of `loops`
/// that run in this order.
std::vector<Conflict> conflicts_between(const Stmt& first, const Stmt& second,
                                        const std::vector<LoopRange>& loops, const Analyzer& facts);

/// Whether the iteration of the second access may come before that of the first. Two statements may run one
/// after the other in one nest, or in a nest each, one after the other, exactly where none of their conflicts
/// does: then both ways keep every two accesses in order.
bool runs_backwards(const Conflict& conflict);

/// Whether the statement calls out or synchronises: then it must keep its place among others that do.
bool has_effects(const Stmt& s);
/// The signs that the distance of two accesses of one buffer may have on each loop: the iteration of the
/// second minus that of the first, where they touch the same element. `facts` know the loops.
std::vector<Signs> distances(const BufferRegion& first, const BufferRegion& second,
                             const std::vector<LoopRange>& loops, const Analyzer& facts);

/// Whether different iterations of the loops in which all `conditions` hold give different values.
bool tell_apart(const std::vector<Expr>& values, const std::vector<LoopRange>& loops,
                const std::vector<Expr>& conditions, const Analyzer& facts);

/// Whether two iterations that conflict would change places where the loops run in the order `order`
/// (positions in the list of loops, outermost first).
bool order_breaks(const Conflict& conflict, const std::vector<std::size_t>& order);

/// Whether a loop carries the conflict: its iterations meet while all loops before it in `loops` stand still.
bool carries(const Conflict& conflict, std::size_t loop);

/// Whether the block combines into `buffer` by one commutative and associative operation and does nothing
/// else with it: its instances may then run in any order.
bool is_commutative_update(const Block& block, const Buffer& buffer);

}  // namespace ardea::arith
