#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct SampleComputeLocation {
  BlockRef block;
  std::optional<std::int64_t> decision = {};
  using Results = LoopRef;
  static constexpr auto name = "sample_compute_location";
  static constexpr auto fields = std::tuple(field("block", &SampleComputeLocation::block),
                                            optional_field("decision", &SampleComputeLocation::decision));
  static constexpr auto contract = R"(a place where compute_at may put a block, drawn by chance

The places are the loops at which compute_at accepts the block, outermost first (decision 0, 1, …), the root, where it
stays in loops of its own (-1), and, where compute_inline accepts it, its readers (-2); each is equally likely. A
decision must be one of them. The result is for compute_at of the same block, on the program as it is now.)";
  static constexpr std::array refusals = {"root_block", "decision_does_not_fit"};
};
Outcome apply(const Function& f, const SampleComputeLocation& step, Context& context);

}  // namespace ardea::schedule
