#pragma once

#include "ardea/schedule/primitive.h"

namespace ardea::schedule {

struct DoubleBuffer {
  BlockRef block;
  std::int64_t buffer_index = 0;
  using Results = void;
  static constexpr auto name = "double_buffer";
  static constexpr auto fields = std::tuple(field("block", &DoubleBuffer::block),
                                            optional_field("buffer_index", &DoubleBuffer::buffer_index));
  static constexpr auto contract =
      R"(what a block writes for the next iteration is filled before the one of this iteration is read

for i in [0, n): fill B; use B   =>   fill B[0]
                                      for i in [0, n - 1): fill B[(i + 1) mod 2]; use B[i mod 2]
                                      use B[(n - 1) mod 2]

The buffer is number `buffer_index` of those that the block writes. It gets two versions; the innermost loop whose
iterations each fill it before they read it becomes a pipeline of two stages (software_pipeline): what fills the buffer, and
what that needs in the same iteration, runs one iteration ahead of all other statements of the loop. The block gets the
annotation double_buffer_scope, and lowering writes the rest. Requires such a loop, which a block around allocates the
buffer for, and what software_pipeline requires. All references stay valid. Later steps that would break the pipeline are
refused.)";
  static constexpr std::array refusals = {
      "no_such_buffer",     "not_filled_by_iterations", "no_use_to_overlap",   "pipelined_already",
      "loop_is_not_serial", "bounds_read_memory",       "calls_change_places", "pipeline_breaks_dependence",
      "annotated_already",  "versions_in_registers"};
};
Outcome apply(const Function& f, const DoubleBuffer& step, Context& context);

}  // namespace ardea::schedule
