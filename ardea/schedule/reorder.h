#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

/// The named loops change places among themselves, so that they stand in the order in which they are named;
/// loops between them stay where they are.
///
/// Requires a chain of loops whose bounds do not depend on one another, and that no two iterations that touch
/// the same memory change their order, updates of one recognised reduction aside. All references stay valid.
struct Reorder {
  std::vector<LoopRef> loops;
  static constexpr auto name = "reorder";
  static constexpr auto fields = std::tuple(spread_field("ordered_loops", &Reorder::loops));
};
Outcome apply(const Function& f, const Reorder& step, Context& context);

}  // namespace ardea::schedule
