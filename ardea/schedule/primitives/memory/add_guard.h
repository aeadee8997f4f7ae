#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct AddGuard {
  BlockRef block;
  LoopRef loop;
  using Results = void;
  static constexpr auto name = "add_guard";
  static constexpr auto fields = std::tuple(field("block", &AddGuard::block), field("loop", &AddGuard::loop));
  static constexpr auto contract =
      R"(a block that does the same in each iteration of a loop runs in the first one only; later ones reuse what it left

for i: for k: B_packed[k] = B[k]                 for i: for k: where i == 0: B_packed[k] = B[k]
       for k: C[i] += A[i, k] * B_packed[k]  =>         for k: C[i] += A[i, k] * B_packed[k]

The condition becomes the block's predicate. Where a block around it stands inside the loop, the condition is about
the iterator of that block that is bound to the loop.
Requires a loop around the block whose iterations run one after the other; that neither the block nor the loops and
conditions between depend on it; that the block is a function of what it reads, which nothing else in the loop writes, and
the only one in the loop that writes its outputs; and that these are allocated outside the loop (lift_alloc).
Lowering keeps the memory as long as it is read: it is allocated around the loop.
All references stay valid.)";
  static constexpr std::array refusals = {"loop_not_around_block", "loop_is_concurrent", "depends_on_loop",
                                          "no_iterator",           "not_recomputable",   "input_changes",
                                          "written_elsewhere",     "overwritten_inside", "allocated_inside"};
};
Outcome apply(const Function& f, const AddGuard& step, Context& context);

}  // namespace ardea::schedule
