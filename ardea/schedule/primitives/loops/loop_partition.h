#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct LoopPartition {
  LoopRef loop;
  std::vector<Number> points;
  using Results = std::vector<LoopRef>;
  static constexpr auto name = "loop_partition";
  static constexpr auto fields =
      std::tuple(field("loop", &LoopPartition::loop), field("points", &LoopPartition::points));
  static constexpr auto contract = R"(a loop becomes several, one after the other, cut at given points

for i in [0, n): S   =>   for i_0 in [0, p): S[i := i_0]
                          for i_1 in [0, n - p): S[i := p + i_1]

The points count from the start of the loop. Requires points that rise, the first above 0 and the last below n, and a
plain loop. The results are the loops, in order. References into S stay valid and mean the first part, the others are
over copies; i forwards to all of them.)";
  static constexpr std::array refusals = {"no_points",          "point_outside",     "points_do_not_rise",
                                          "loop_is_not_serial", "loop_is_annotated", "bounds_read_memory"};
};
Outcome apply(const Function& f, const LoopPartition& step, Context& context);

}  // namespace ardea::schedule
