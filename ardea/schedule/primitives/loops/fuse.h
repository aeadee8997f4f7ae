#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct Fuse {
  std::vector<LoopRef> loops;
  bool preserve_unit_iters = true;
  using Results = LoopRef;
  static constexpr auto name = "fuse";
  static constexpr auto fields = std::tuple(
      spread_field("loops", &Fuse::loops), optional_field("preserve_unit_iters", &Fuse::preserve_unit_iters));
  static constexpr auto contract =
      R"(loops one inside the other become one

for i in [0, n): for j in [0, m): S   =>   for i_j_fused in [0, n * m): S[i := f // m, j := f % m]

Requires plain loops, one or more, each the only statement in the one before, whose extents do not depend on one
another, nor divide by what may be 0 where a loop around them does not run. References into S stay valid; the loops
forward to the fused one.)";
  static constexpr std::array refusals = {"not_adjacent",       "not_outermost_first", "not_a_chain",
                                          "no_loops",           "loop_named_twice",    "bounds_depend",
                                          "loop_is_not_serial", "loop_is_annotated",   "bounds_read_memory"};
};
Outcome apply(const Function& f, const Fuse& step, Context& context);

}  // namespace ardea::schedule
