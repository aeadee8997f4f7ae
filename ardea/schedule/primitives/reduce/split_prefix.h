#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct SplitPrefix {
  BlockRef block;
  Number factor = std::int64_t{1};
  using Results = std::vector<BlockRef>;
  static constexpr auto name = "split_prefix";
  static constexpr auto fields =
      std::tuple(field("block", &SplitPrefix::block), field("factor", &SplitPrefix::factor));
  static constexpr auto contract =
      R"(sums of prefixes become totals of chunks, sums of these before each chunk, and the rest of a chunk

for i, j, r: C[i, j] += t(i, r) if r < j else 0
=>   for i, r_0, r_1: C_totals[i, r_0] += t(i, r_0 * f + r_1)
     for i, j_0, r_0: C_before[i, j_0] += C_totals[i, r_0] if r_0 < j_0 else 0
     for i, j, r:     C[i, j] = C_before[i, j // f], then += t(i, j // f * f + r) if j // f * f + r < j else 0

An element's steps are no longer those of its prefix but those of a chunk. What stands before the chunks is again sums of
prefixes, to which the step may be applied once more. Both new blocks come right before the old one, which keeps its
place; their loops are new: copies ax0, … of those that feed other spatial iterators, and the ones above.
Requires a reduction with an init by a known operation (those of rfactor), of whose reduce iterators one, r, is cut by a
spatial one, j: r < j + a number, which is a condition of the block or what its terms are chosen by, with the neutral
element where it does not hold. Both are the variables of loops over all of their domains, from 0, that of r serial, in a nest
with one block and without other conditions on them; terms and init are the same for all j, and the init stores a value
for each element that it does not read there. The factor is positive; it need divide nothing.
Sums of floats are added in another order: the last bits may differ.
Results: the blocks of the totals and of what stands before chunks. All references stay valid; that to the
loop over a prefix names the one over a chunk.)";
  static constexpr std::array refusals = {
      "root_block",         "not_a_reduction",   "reduce_loop_outside", "loop_feeds_both",
      "bounds_depend",      "condition_mixes",   "instances_repeat",    "start_is_not_first",
      "has_own_buffers",    "not_a_reducer",     "not_a_prefix",        "loops_do_not_fit",
      "loop_is_not_serial", "loop_is_annotated", "init_does_not_fit",   "factor_not_positive"};
};
Outcome apply(const Function& f, const SplitPrefix& step, Context& context);

}  // namespace ardea::schedule
