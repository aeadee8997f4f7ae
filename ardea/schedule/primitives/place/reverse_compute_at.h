#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct ReverseComputeAt {
  BlockRef block;
  LoopRef loop;
  bool preserve_unit_loops = false;
  std::int64_t index = -1;
  using Results = void;
  static constexpr auto name = "reverse_compute_at";
  static constexpr auto fields =
      std::tuple(field("block", &ReverseComputeAt::block), field("loop", &ReverseComputeAt::loop),
                 optional_field("preserve_unit_loops", &ReverseComputeAt::preserve_unit_loops),
                 optional_field("index", &ReverseComputeAt::index));
  static constexpr auto contract =
      R"(a block moves under a loop of its producers and consumes in each iteration what they have computed there

for i: for k: B[i] += …          for i: for k: B[i] += …
for i: C[i] = exp(B[i])     =>          C[i] = exp(B[i])

In each iteration run the values of the block's spatial iterators whose reads lie in what the producers have written in that
iteration; guards of the producers' tails carry over. Reduce iterators run as they did before. New loops and index are as in
compute_at; index -1 is the end of the loop's body, -2 the first place after the producers.
Requires that what the producers write in one iteration is known exactly, and finished: no other iteration writes it; that the
block's reads are proved to lie in it; that all iterations together run the block as it ran before, once each where running
it twice is not the same as running it once; that all who write what it reads between the two places are under the
loop, and nobody else there touches what it writes, those under the loop aside where it updates what they made.
The block stays what it is; those of its old loops that held nothing else are gone.)";
  static constexpr std::array refusals = {
      "not_in_one_scope",    "already_there",       "not_in_one_sequence",   "loop_is_after_block",
      "iterators_in_order",  "body_uses_its_place", "no_producer",           "producer_elsewhere",
      "output_used_between", "producer_not_exact",  "producer_not_finished", "reads_more_than_computed",
      "not_all_values_run",  "runs_twice",          "reduction_order",       "no_such_position"};
};
Outcome apply(const Function& f, const ReverseComputeAt& step, Context& context);

}  // namespace ardea::schedule
