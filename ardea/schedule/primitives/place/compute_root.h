#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct ComputeRoot {
  BlockRef block;
  using Results = void;
  static constexpr auto name = "compute_root";
  static constexpr auto fields = std::tuple(field("block", &ComputeRoot::block));
  static constexpr auto contract =
      R"(a block goes back into loops of its own, before its first consumer

for i: for ax0 in [0, 3): B[i + ax0] = …             for ax0: B[ax0] = …
       C[i] = B[i] + B[i+1] + B[i+2]           =>    for i: C[i] = B[i] + B[i+1] + B[i+2]

The inverse of compute_at: every value of the iterators that ran before runs once. The new loops ax0, ax1, …, one an iterator,
stand directly in the block around, before the statement that holds the first consumer.
Requires, as compute_at does, that the block is a function of what it reads and the only one that writes its outputs, which are
allocated by the block around it; that nothing in the loops it leaves, or on the way, writes what it reads; that no consumer
comes before it or sees parts of its reductions; and that it is known which values of its iterators run.
The block stays what it is; those of its old loops that held nothing else are gone.)";
  static constexpr std::array refusals = {
      "already_there",       "iterators_in_order",    "body_uses_its_place", "not_recomputable",
      "output_leaves_scope", "written_elsewhere",     "no_consumer",         "consumer_before",
      "input_changes",       "reduces_with_consumer", "not_computed_before", "reduction_order"};
};
Outcome apply(const Function& f, const ComputeRoot& step, Context& context);

}  // namespace ardea::schedule
