#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct DecomposeReduction {
  BlockRef block;
  LoopRef loop;
  using Results = BlockRef;
  static constexpr auto name = "decompose_reduction";
  static constexpr auto fields =
      std::tuple(field("block", &DecomposeReduction::block), field("loop", &DecomposeReduction::loop));
  static constexpr auto contract = R"(a reduction's init becomes a block of its own, before a loop

for loop: … C: with init: I; U   =>   for …_init: C_init: I;  for loop: … C_update: U

The init block stands directly before the loop, in copies (kind and annotations too) of the loops from there
inwards that feed spatial iterators, under the part of the block's conditions that is about them.
Requires a loop around the block that holds the whole reduction: no loop outside of it feeds a reduce iterator.
The loops inside run each instance once, the one with the init first; each loop and each condition is about
spatial or about reduce iterators, not about both. Other statements in the loop touch only elements whose
reduction has begun in the same round, and do not write what the init reads. Every round has something to
reduce: loops that the init does not run in have an iteration.
Results: the init block. All references stay valid; that to C names the update.)";
  static constexpr std::array refusals = {
      "loop_not_around",    "not_a_reduction",       "reduce_loop_outside", "something_between",
      "loop_feeds_both",    "bounds_depend",         "condition_mixes",     "instances_repeat",
      "start_is_not_first", "init_uses_own_buffers", "init_input_changes",  "output_is_touched"};
};
Outcome apply(const Function& f, const DecomposeReduction& step, Context& context);

}  // namespace ardea::schedule
