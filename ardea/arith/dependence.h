#pragma once

#include <functional>
#include <vector>

#include "ardea/arith/distances.h"
#include "ardea/ir/stmt.h"

/// Which accesses of statements conflict, and in which order iterations must therefore stay.

namespace ardea::arith {

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
/// The accesses of a statement in the innermost of some loops, found once for all that it is compared with:
/// those of the memory that is asked about. It may be moved.
class AccessesInLoops {
 public:
  AccessesInLoops(const Stmt& s, const std::vector<LoopRange>& loops, const Analyzer& facts,
                  const std::function<bool(const Buffer&)>& is_asked_about);
  AccessesInLoops(const AccessesInLoops&) = delete;
  AccessesInLoops(AccessesInLoops&&) = default;

  /// One of several that come to the same: worth its work where a statement has many, and is compared often.
  static AccessesInLoops distinct(const Stmt& s, const std::vector<LoopRange>& loops, const Analyzer& facts,
                                  const std::function<bool(const Buffer&)>& is_asked_about);

  const std::vector<PlacedAccess>& all() const { return placed_; }

 private:
  explicit AccessesInLoops(std::vector<Access> accesses) : accesses_(std::move(accesses)) {}

  std::vector<Access> accesses_;
  std::vector<PlacedAccess> placed_;  ///< of these
};

/// The same of two statements whose accesses are known, under these loops and facts.
std::vector<Conflict> conflicts_between(const AccessesInLoops& first, const AccessesInLoops& second,
                                        const std::vector<LoopRange>& loops, const Analyzer& facts);

/// Whether the iteration of the second access may come before that of the first. Two statements may run one
/// after the other in one nest, or in a nest each, one after the other, exactly where none of their conflicts
/// does: then both ways keep every two accesses in order.
bool runs_backwards(const Conflict& conflict);

/// Whether the statement calls out or synchronises: then it must keep its place among others that do.
bool has_effects(const Stmt& s);

/// Whether two iterations that conflict would change places where the loops run in the order `order`
/// (positions in the list of loops, outermost first).
bool order_breaks(const Conflict& conflict, const std::vector<std::size_t>& order);

/// Whether a loop carries the conflict: its iterations meet while all loops before it in `loops` stand still.
bool carries(const Conflict& conflict, std::size_t loop);

/// Whether the block combines into `buffer` by one commutative and associative operation and does nothing
/// else with it: its instances may then run in any order.
bool is_commutative_update(const Block& block, const Buffer& buffer);

}  // namespace ardea::arith
