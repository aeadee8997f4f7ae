#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct Fission {
  BlockRef block;
  LoopRef loop;
  using Results = std::vector<LoopRef>;
  static constexpr auto name = "fission";
  static constexpr auto fields = std::tuple(field("block", &Fission::block), field("loop", &Fission::loop));
  static constexpr auto contract =
      R"(the loops from one down to a block end before the block and begin anew for it

for i in [0, n): S; B; T   =>   for i in [0, n): S
                                for i in [0, n): B; T

Everything that stands before the block under the loop stays where it is; the block and what follows get loops of their
own, directly after. Requires that between the loop and the block there are only loops and sequences, that the loops
that are doubled are plain, and that no iteration of the later part must come before one of the earlier part because
they touch the same memory. The results are the loops around the block from the new outermost one on; loops in which
nothing stands before the block move with it. All references stay valid: the old loops are those of the first part.)";
  static constexpr std::array refusals = {
      "loop_not_around_block", "not_only_loops",     "nothing_before", "loop_is_not_serial",
      "loop_is_annotated",     "bounds_read_memory", "both_call_out",  "fission_breaks_dependence"};
};
Outcome apply(const Function& f, const Fission& step, Context& context);

}  // namespace ardea::schedule
