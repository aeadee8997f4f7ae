#pragma once

#include <variant>

#include "ardea/schedule/context.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::schedule {

/// A nest of loops with one block in it, cut in two: an outer block whose iterators are what the loops around
/// decide, and inside it the loops and the block, whose iterators are what the nest's own loops decide.
struct IsolatedNest {
  Block outer;             ///< its body is the nest; regions are absent
  std::vector<For> loops;  ///< of the nest, outermost first, as they were
  Block inner;             ///< the block of the nest, over its new iterators
};

/// The nest that the last statement of the path (a loop or a block) is. Each iterator v of the block becomes
/// v_o * n + v_i, where v_i takes n values in the nest; where n is 1 or all values are inside, the part that
/// is left has one value, and is kept as an iterator only where `keep_units`. Refused as
///   root_block, not_one_block, bounds_depend, binding_does_not_divide, condition_inside, loop_feeds_both,
///   init_input_changes, instances_repeat.
Result<IsolatedNest> isolate(const Function& f, const Path& path, bool keep_units, Context& context);

}  // namespace ardea::schedule
