#pragma once

#include <optional>
#include <vector>

#include "ardea/arith/regions.h"
#include "ardea/schedule/program/tree.h"

/// Which values of a block's iterators run at a place, and which are needed for a part of a buffer.

namespace ardea::schedule {

/// A value is at least each of `lows` and at most each of `highs`; free on a side without any.
struct Bounds {
  std::vector<Expr> lows, highs;
};

/// One an iterator of the block, in their order.
using IteratorValues = std::vector<Bounds>;

/// A range, its bounds split at max and min: max(a, b) <= v is a <= v and b <= v.
Bounds bounds_of(const Range& range, const arith::Analyzer& facts);
Bounds domain_of(const BlockIterator& iterator, const arith::Analyzer& facts);

/// The values that run, as a box of iteration_space.
struct Executed {
  BufferRegion box;
  bool exact = false;  ///< every value of the box runs
};

/// A buffer of the shape of the block's domains: boxes of iterator values are written as regions of it.
Buffer iteration_space(const Block& block);
/// All of it.
BufferRegion whole_space(const Buffer& space, const Block& block);

/// What runs between a statement of the block's path and the block: the loops, and the conditions among them,
/// those of the block included. Values of lets are put in their places.
struct Between {
  std::vector<arith::LoopRange> loops;  ///< outermost first
  std::vector<Expr> conditions;
  std::vector<Expr> bindings;  ///< of the block, one an iterator
};
/// The statements path[first] … path.back(), of which the last is the block.
Between between(const Path& path, std::size_t first);

/// The values that run in one iteration of the loops around path[first].
Executed executed(const Function& f, const Path& path, std::size_t first, const Buffer& space);

/// The same where conditions mix the iterators: of the box, the values run for which all of `conditions`,
/// over the iterators, hold. Nothing where the loops are not told from the values, or a condition reads
/// memory.
struct ExecutedWhere {
  Executed values;  ///< as if there were no conditions
  std::vector<Expr> conditions;
};
std::optional<ExecutedWhere> executed_where(const Function& f, const Path& path, std::size_t first,
                                            const Buffer& space);

/// Whether the access touches some element of a part, or only such elements.
enum class Reach { some, only };

/// Bounds of the block's spatial iterators: with `some`, every value whose access may touch `part` is inside;
/// with `only`, each iterator that alone decides a dimension keeps to `part` there. What the access does not
/// tell stays free. `facts` know the place where the bounds will be used.
IteratorValues values_reaching(const Block& block, const BufferRegion& access, const BufferRegion& part,
                               Reach reach, const arith::Analyzer& facts);

/// Both bounds hold; one of them holds.
void intersect(IteratorValues& values, const IteratorValues& others);
void unite(IteratorValues& values, const IteratorValues& others, const arith::Analyzer& facts);

/// The box between the bounds; a side without bounds is the domain's.
BufferRegion box_of(const IteratorValues& values, const Block& block, const Buffer& space,
                    const arith::Analyzer& facts);

}  // namespace ardea::schedule
