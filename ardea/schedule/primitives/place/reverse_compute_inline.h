#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct ReverseComputeInline {
  BlockRef block;
  using Results = void;
  static constexpr auto name = "reverse_compute_inline";
  static constexpr auto fields = std::tuple(field("block", &ReverseComputeInline::block));
  static constexpr auto contract = R"(a block's computation moves into the block that makes what it reads

P: B[v] = f(v);  Q: D[j] = g(B[j], …)   =>   P: D[v] = g(f(v), …)

Q, the loops in which nothing else stands, and B go away. Where Q takes only a part of B, P gets a predicate.
Requires that P and Q are each nothing but one store of one element (lets around it aside) over spatial
iterators: sums that are not complete would be seen, so that a P that reduces is refused. B is the buffer
allocated by the block around both that Q reads, of several the one that is made last; P is its only writer, Q its only reader, at one element, whose
indices determine the iterators of Q, in all values of them. Under common loops a round of Q must read just what that round of P wrote.
Nothing from P to Q may touch D or overwrite what Q reads.
References to Q and to the loops that go with it end; all others stay valid, that to P too.)";
  static constexpr std::array refusals = {
      "root_block",           "not_spatial",     "not_one_store", "view_around",
      "has_effect",           "reads_itself",    "no_producer",   "buffer_is_viewed",
      "other_writer",         "other_reader",    "read_before",   "reads_several_elements",
      "index_not_invertible", "not_always_read", "rounds_differ", "output_is_touched",
      "input_changes"};
};
Outcome apply(const Function& f, const ReverseComputeInline& step, Context& context);

}  // namespace ardea::schedule
