#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct Reorder {
  std::vector<LoopRef> loops;
  using Results = void;
  static constexpr auto name = "reorder";
  static constexpr auto fields = std::tuple(spread_field("ordered_loops", &Reorder::loops));
  static constexpr auto contract =
      R"(loops of a chain change places

The named loops change places among themselves, so that they stand in the order in which they are named; loops
between them stay where they are.
Requires a chain of loops whose bounds do not depend on one another, nor divide by what may be 0 where a loop
that they leave does not run, and that no two iterations that touch the same memory change their order, updates
of one recognised reduction aside. Loops bound to threads may be among them, where their iterations still do not
meet in the new order. All references stay valid.)";
  static constexpr std::array refusals = {
      "not_a_chain",        "no_loops",           "loop_named_twice",          "bounds_depend",
      "loop_is_not_serial", "bounds_read_memory", "reorder_breaks_dependence", "loop_carries_dependence"};
};
Outcome apply(const Function& f, const Reorder& step, Context& context);

}  // namespace ardea::schedule
