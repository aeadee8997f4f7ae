#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct Merge {
  std::vector<LoopRef> loops;
  using Results = LoopRef;
  static constexpr auto name = "merge";
  static constexpr auto fields = std::tuple(spread_field("loops", &Merge::loops));
  static constexpr auto contract = R"(nests beside each other become one, down to the named loops

for i in [0, n): S
for j in [0, n): T   =>   for i_m in [0, n): S[i := i_m]; T[j := i_m]

Names one loop of each nest. The loops around them, up to the sequence that the nests stand in, are merged pairwise,
too. Requires nests of plain loops, equally deep, that stand directly one after the other and whose loops begin and
end alike, and that no iteration of a later nest comes before one of an earlier nest that touches the same memory: so
what an iteration reads of an earlier nest must be complete when it starts. The result is the merged loop in place of
the named ones; each old loop forwards to the one that it became part of. References to what is inside stay valid.)";
  static constexpr std::array refusals = {
      "one_loop",           "no_loops",          "loop_named_twice",   "not_siblings",
      "nests_differ",       "not_adjacent",      "bounds_differ",      "bounds_depend",
      "loop_is_not_serial", "loop_is_annotated", "bounds_read_memory", "merge_breaks_dependence",
      "both_call_out"};
};
Outcome apply(const Function& f, const Merge& step, Context& context);

}  // namespace ardea::schedule
