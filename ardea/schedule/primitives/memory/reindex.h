#pragma once

#include "ardea/schedule/primitive.h"
#include "ardea/schedule/program/buffer_argument.h"

namespace ardea::schedule {

struct Reindex {
  BlockRef block;
  BufferArgument buffer;
  std::vector<std::int64_t> keep = {};
  bool with_condition = false;
  using Results = BlockRef;
  static constexpr auto name = "reindex";
  static constexpr auto fields = std::tuple(
      field("block", &Reindex::block), field("buffer", &Reindex::buffer),
      optional_field("keep", &Reindex::keep), optional_field("with_condition", &Reindex::with_condition));
  static constexpr auto contract =
      R"(a block reads or writes a buffer by its own iterators, and a copy translates

C: … A[vh * 2 + vr, vc] …   =>   A_reindex[v0, v1, v2] = A[v0 * 2 + v1, v2];  C: … A_reindex[vh, vr, vc] …

The buffer is ("read", i) or ("write", i), by its position in the block's T.reads or T.writes, or its name. The new
buffer has one dimension for each iterator of the block that occurs in the indices, in the order of the iterators:
windows become matrices. What is read is copied right before the block, as by cache_read; what is written right
after it, as by cache_write. A part of the new buffer that lies outside of the old one is 0.
`keep` names dimensions of what is read, from 0, that stay what they are, in the place of the first iterator in their
index: with keep=[0] above A_reindex[v0, v1] = A[v0, v1], read as A_reindex[vh * 2 + vr, vc]. So windows along some
dimensions share their rows, and along the others they lie side by side.
With `with_condition` the copy asks what the block asked before it read the buffer, and is 0 elsewhere:
if_then_else(c, A[…], 0) becomes A_reindex[…], and if_then_else(c, A[…] * b, 0) A_reindex[…] * if_then_else(c, b, 0), so
that a second such step leaves a plain product. Iterators in c are dimensions of the new buffer, too.
Requires one access pattern: the block uses the buffer by plain loads and stores at the same indices, which are
functions of its iterators; with a condition, that the only read is of one of the two forms, and the condition a
function of the iterators. Where it writes, the indices must determine the iterators.
Results: the block that copies, <buffer>_reindex. All references stay valid.)";
  static constexpr std::array refusals = {
      "root_block",        "no_such_buffer",         "buffer_is_viewed",
      "several_patterns",  "index_not_of_iterators", "index_not_invertible",
      "not_all_written",   "read_in_binding",        "reads_old_content",
      "init_is_not_first", "writes_only_part",       "loop_carries_dependence",
      "no_such_dimension", "kept_of_written",        "no_condition"};
};
Outcome apply(const Function& f, const Reindex& step, Context& context);

}  // namespace ardea::schedule
