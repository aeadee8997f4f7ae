#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

/// for i in [0, n): for j in [0, m): S   ⇒   for i_j_fused in [0, n · m): S[i := f // m, j := f % m]
///
/// Requires two or more plain loops, each the only statement in the one before, whose extents do not depend
/// on one another. References into S stay valid; the loops forward to the fused one.
struct Fuse {
  std::vector<LoopRef> loops;
  bool preserve_unit_iters = true;
  static constexpr auto name = "fuse";
  static constexpr auto fields = std::tuple(
      spread_field("loops", &Fuse::loops), optional_field("preserve_unit_iters", &Fuse::preserve_unit_iters));
};
Outcome apply(const Function& f, const Fuse& step, Context& context);

}  // namespace ardea::schedule
