#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct Tensorize {
  BlockOrLoop block_or_loop;
  std::string tensor_intrin;
  bool preserve_unit_iters = true;
  using Results = BlockRef;
  static constexpr auto name = "tensorize";
  static constexpr auto fields = std::tuple(
      field("block_or_loop", &Tensorize::block_or_loop), field("tensor_intrin", &Tensorize::tensor_intrin),
      optional_field("preserve_unit_iters", &Tensorize::preserve_unit_iters));
  static constexpr auto contract =
      R"(a nest becomes one tensor instruction that does the same

for i_1, k_1: C[…] += A[…] * B[…]   =>   T.tensor_instruction("x", T.address_of(C[…]), T.address_of(A[…]), …)

A loop is blockized first; of a block the inside is taken. What the nest computes must be what the instruction's program
(docs/tensor_instructions.md) computes: up to names, operands that commute, the order of dimensions and of loops, and
loops of one iteration; several loops may be one of the instruction's. The addresses are those of the first elements, the
strides follow from the accesses. T.fma of an instruction takes c + a * b, too, and rounds it once; sums of floats may
be added in another order.
Requires that operands lie in the scopes, with the strides and the alignment that the record asks for, and that what is
written is not read as another operand, that no loop around is vectorized, and that the nest writes whole boxes of
its buffer.
Results: the block that is the instruction now. The block and the loops inside are gone.)";
  static constexpr std::array refusals = {"no_such_instruction",
                                          "root_block",
                                          "not_one_block",
                                          "bounds_depend",
                                          "binding_does_not_divide",
                                          "condition_inside",
                                          "loop_feeds_both",
                                          "init_input_changes",
                                          "instances_repeat",
                                          "not_one_store",
                                          "init_inside",
                                          "computes_something_else",
                                          "extents_differ",
                                          "layout_differs",
                                          "operands_overlap",
                                          "wrong_scope",
                                          "not_aligned",
                                          "window_leaves_buffer",
                                          "inside_vectorized",
                                          "writes_have_gaps"};
};
Outcome apply(const Function& f, const Tensorize& step, Context& context);

}  // namespace ardea::schedule
