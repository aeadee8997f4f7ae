#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct RFactor {
  LoopRef loop;
  std::int64_t factor_axis = 0;
  using Results = BlockRef;
  static constexpr auto name = "rfactor";
  static constexpr auto fields =
      std::tuple(field("loop", &RFactor::loop), field("factor_axis", &RFactor::factor_axis));
  static constexpr auto contract =
      R"(a reduction over a loop becomes partial results, one an iteration, and their sum

for i, k_0, k_1: C[i] += t   =>   for i, k_0, k_1: C_rf[k_0, i] += t;  for i, k_0: C[i] += C_rf[k_0, i]

The block <name>_rf takes the place and the loops of the old nest: the loop is spatial now, and may run in
parallel. Its buffer <buffer>_rf has one more dimension, the loop's, at factor_axis (from 0 to the rank of the
buffer; a negative one counts from the end). The old block, now the sum of the partial results, comes right
after, in loops of its own: copies ax0, … of those that feed spatial iterators, then the loop.
Requires a serial loop that feeds reduce iterators only, in a nest with one block, which is a reduction with an
init by a known operation (+ * min max & | ^ and or, several of them on several buffers, argmax and argmin),
whose loops run each instance once, and which has no buffers of its own. Partial results start from the neutral
element, the sum from the block's own init; a guard on the loop that leaves an iteration without any instance, or
with an iteration of an outer loop less than others (a tail's), goes into the terms.
Sums of floats are added in another order: the last bits may differ.
Results: the rf block. All references stay valid; that to C names the sum of the partial results.)";
  static constexpr std::array refusals = {"loop_is_not_serial",   "not_one_block",    "not_a_reduction",
                                          "reduce_loop_outside",  "loop_feeds_both",  "bounds_depend",
                                          "condition_mixes",      "instances_repeat", "start_is_not_first",
                                          "loop_does_not_reduce", "not_a_reducer",    "no_such_axis",
                                          "let_around",           "has_own_buffers"};
};
Outcome apply(const Function& f, const RFactor& step, Context& context);

}  // namespace ardea::schedule
