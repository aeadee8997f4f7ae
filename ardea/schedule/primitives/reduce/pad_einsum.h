#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct PadEinsum {
  BlockRef block;
  std::vector<Number> padding;
  using Results = std::vector<BlockRef>;
  static constexpr auto name = "pad_einsum";
  static constexpr auto fields =
      std::tuple(field("block", &PadEinsum::block), field("padding", &PadEinsum::padding));
  static constexpr auto contract =
      R"(a reduction runs over whole multiples of its extents, on operands padded with zeros

pad_einsum(C, [1, 16, 4]):   for i, j, k: C[i, j] += A[i, k] * B[k, j]
=>   A_pad, B_pad = copies of A and B, 0 where j or k is beyond the old extent
     for i, j in ceil(n / 16) * 16, k in ceil(K / 4) * 4: C_pad[i, j] += A_pad[i, k] * B_pad[k, j]
     for v0, v1: C[v0, v1] = C_pad[v0, v1]

One number an iterator of the block, in their order; 1 leaves the iterator as it is. A buffer that no padded iterator
indexes stays; each of the others gets a padded copy, <buffer>_pad, made right before the loops of the block, and
what is written is copied out by <buffer>_unpad right after them. The copy of a window's data, X[y * 2 + r], reaches as
far as the padded iterators take the window. An operand of which iterators that make elements move an index in quotients
or remainders, X[(y + 1) // 2 - r], stays: where they may take it beyond, it is 0.
Requires a block of one update with an init, in loops of its own, one an iterator, with nothing else inside; that the
indices of what it writes are iterators, and those of what it reads and does not stay iterators or, where a padded one is in them, sums of them and
their multiples, forwards along it, none of which reaches beyond its buffer; that zeros add nothing: the padded part of a sum must be zero in itself, so
each product has two operands that a padded reduce iterator alone is an index of where it is one of floats;
that all that is copied has a value: a parameter that nothing writes, what the block reads without gaps, or what a statement
before it writes as a whole.
Results: the blocks that copy in, in the order of the reads, then the one that copies out. All references stay valid.)";
  static constexpr std::array refusals = {
      "root_block",         "padding_does_not_fit", "not_a_reduction",    "loops_do_not_fit",
      "several_patterns",   "index_not_iterator",   "operand_too_small",  "padding_counts",
      "loop_is_not_serial", "loop_is_annotated",    "bounds_read_memory", "operand_has_no_value"};
};
Outcome apply(const Function& f, const PadEinsum& step, Context& context);

}  // namespace ardea::schedule
