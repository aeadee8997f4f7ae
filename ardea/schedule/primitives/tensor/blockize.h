#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct Blockize {
  BlockOrLoop block_or_loop;
  bool preserve_unit_iters = true;
  using Results = BlockRef;
  static constexpr auto name = "blockize";
  static constexpr auto fields =
      std::tuple(field("block_or_loop", &Blockize::block_or_loop),
                 optional_field("preserve_unit_iters", &Blockize::preserve_unit_iters));
  static constexpr auto contract =
      R"(the loops under a loop become the inside of a new block

for i_0, i_1: block C: vi = i_0 * 4 + i_1: S(vi)   =>   for i_0: block C_o: vi_o = i_0:
                                                             for i_1: block C: vi_i = i_1: S(vi_o * 4 + vi_i)

The loop, with all loops inside, holds one block; a block alone is a nest without loops. Each iterator is divided into
what the loops around decide, an iterator of the new block, and what the nest decides, an iterator of the old one; a
part of one value is left out where preserve_unit_iters is False. The init of a reduction goes to the new block, as a
block of its own in copies (i_1_init) of the loops that feed spatial iterators. Conditions on the loops around stay with
the new block.
Requires iterators that are a multiple of what the nest counts plus what it counts, bounds of the nest that do not
depend on the loops around, and no condition that the nest's loops decide. A nest whose block has an init runs each
instance once, and no loop of it feeds spatial and reduce iterators at once.
Results: the new block. All references stay valid.)";
  static constexpr std::array refusals = {
      "root_block",       "not_one_block",   "bounds_depend",      "binding_does_not_divide",
      "condition_inside", "loop_feeds_both", "init_input_changes", "instances_repeat"};
};
Outcome apply(const Function& f, const Blockize& step, Context& context);

}  // namespace ardea::schedule
