#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct ComputeAt {
  BlockRef block;
  LoopRef loop;
  bool preserve_unit_loops = false;
  std::int64_t index = -1;
  using Results = void;
  static constexpr auto name = "compute_at";
  static constexpr auto fields =
      std::tuple(field("block", &ComputeAt::block), field("loop", &ComputeAt::loop),
                 optional_field("preserve_unit_loops", &ComputeAt::preserve_unit_loops),
                 optional_field("index", &ComputeAt::index));
  static constexpr auto contract =
      R"(a block moves under a loop of its consumers and computes in each iteration what they need there

for i: B[i] = …                         for i: for ax0 in [0, 3): B[i + ax0] = …
for i: C[i] = B[i] + B[i+1] + B[i+2]  =>       C[i] = B[i] + B[i+1] + B[i+2]

What is needed is the box around all that the consumers read in one iteration; what lies outside the block's domain is cut
off by a predicate. The new loops are ax0, ax1, …, one an iterator that has more than one value (all, with
preserve_unit_loops), in the order of the iterators; reduce iterators run over their whole domains. index is the place
among the statements of the loop's body: -1 the last before the consumers, -2 the first.
Requires that all who read what the block writes are under the loop; that the block is a function of what it reads (it has
spatial and reduce iterators only, a reduction has an init) and the only one that writes its outputs, which are allocated by the
block around it; that nothing in between writes what it reads; that what it computes there it also computed before; and
that concurrent loops around the new place stay free of races.
The block stays what it is; those of its old loops that held nothing else are gone.
A place that sample_compute_location gave may also be the root or the readers: then it does what compute_root or
compute_inline does, and is refused as they are.)";
  static constexpr std::array refusals = {
      "not_in_one_scope",    "already_there",       "not_in_one_sequence", "loop_is_before_block",
      "iterators_in_order",  "body_uses_its_place", "not_recomputable",    "output_leaves_scope",
      "written_elsewhere",   "no_consumer",         "consumer_elsewhere",  "input_changes",
      "not_computed_before", "reduction_order",     "no_such_position",    "loop_carries_dependence"};
};
Outcome apply(const Function& f, const ComputeAt& step, Context& context);

}  // namespace ardea::schedule
