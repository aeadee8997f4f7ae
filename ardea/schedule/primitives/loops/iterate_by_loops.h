#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct IterateByLoops {
  BlockRef block;
  using Results = void;
  static constexpr auto name = "iterate_by_loops";
  static constexpr auto fields = std::tuple(field("block", &IterateByLoops::block));
  static constexpr auto contract = R"(a block's iterators become the loops around it, one each

for f in [0, 12): block(vi = f // 4, vj = f % 4): C[vi, vj]   =>   for f in [0, 12): block(vf = f): C[vf // 4, vf % 4]

What the block computes, and in which order, stays; what changes is what its instances are counted by. A condition
under which it runs, as split leaves one of a loop that its factors do not divide, is asked inside of it. After fuse and
reorder the loops of a window are those of a matrix: pad_einsum and tensorize then see one iterator where there were
several.
Requires loops that begin at 0, whose lengths depend on no other of them; that each moves only iterators that make
elements or only ones that reduce, and each of more than one iteration some; that no two iterations make the same
elements, as those of neighbouring windows do; and a condition of its loops alone, if any,
that leaves more than one iteration of each, and of a block without an init.
All references stay valid.)";
  static constexpr std::array refusals = {"root_block",           "no_loops",        "bounds_depend",
                                          "loop_feeds_both",      "loop_is_idle",    "block_is_guarded",
                                          "binds_something_else", "instances_repeat"};
};
Outcome apply(const Function& f, const IterateByLoops& step, Context& context);

}  // namespace ardea::schedule
