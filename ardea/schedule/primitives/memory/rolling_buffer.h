#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct RollingBuffer {
  BlockRef block;
  std::int64_t buffer_index = 0;
  using Results = void;
  static constexpr auto name = "rolling_buffer";
  static constexpr auto fields = std::tuple(field("block", &RollingBuffer::block),
                                            optional_field("buffer_index", &RollingBuffer::buffer_index));
  static constexpr auto contract =
      R"(a buffer keeps the window that one iteration needs, and each iteration computes what is new in it

B: (n + 2,)                                       B: (3,)
for i: for ax in [0, 3): B[i + ax] = …            for i: for ax in [0, 3): where i == 0 or ax >= 2: B[(i + ax) % 3] = …
       C[i] = B[i] + B[i+1] + B[i+2]          =>         C[i] = B[i % 3] + B[(i+1) % 3] + B[(i+2) % 3]

The buffer is number `buffer_index` of those that the block writes. The loop is the innermost around the block and all who read
the buffer: where compute_at has put the block. The first iteration, each time the loop begins anew, computes the whole
window. The window moves along one dimension, by any number of rows, also by different ones where a border holds it
back; in that dimension the buffer gets as many rows as the window has, and every index is taken modulo that number. The
iterator of the block that moves becomes ordered: its values now share memory.
Requires a loop whose iterations run one after the other; windows of one size that never go back and overlap from each
iteration to the next; that the loops between it and the block run all of the window, under conditions that are about
elements, not about iterations; that one iteration reads only what it has computed itself; that the block has no blocks
inside, writes one element of one buffer, which the block around it allocates and nobody else writes or views, and is a
function of what it reads; and that what it reads stays the same while the loop runs: nothing in the loop writes it, or one
block that is such a function itself. So where one window is computed from another, the later one is rolled first.
Concurrent loops around stay free of races: each of their iterations has a window of its own, or this is refused.
In a template the loop has at least two iterations, which is posted: with one, nothing tells which dimension moves.
All references stay valid.)";
  static constexpr std::array refusals = {
      "root_block",         "no_such_buffer",         "several_outputs",
      "not_recomputable",   "output_leaves_scope",    "written_elsewhere",
      "nested_blocks",      "buffer_is_viewed",       "vector_access",
      "no_reader",          "no_common_loop",         "loop_is_concurrent",
      "not_plain_nest",     "bounds_read_memory",     "iterators_in_order",
      "not_a_window",       "window_stays",           "two_dimensions_move",
      "window_size_varies", "window_goes_back",       "no_overlap",
      "condition_moves",    "partial_reduction",      "read_before_computed",
      "input_changes",      "loop_carries_dependence"};
};
Outcome apply(const Function& f, const RollingBuffer& step, Context& context);

}  // namespace ardea::schedule
