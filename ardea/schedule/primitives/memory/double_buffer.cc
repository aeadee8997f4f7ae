#include "ardea/schedule/primitives/memory/double_buffer.h"

#include <fmt/core.h>

#include "ardea/schedule/analysis/pipelines.h"
#include "ardea/schedule/program/refer.h"

namespace ardea::schedule {

Outcome apply(const Function& f, const DoubleBuffer& step, Context&) {
  const Path path = ARDEA_TRY(refer(f, step.block));
  Block block = path.block();
  const bool is_new =
      block.annotations.emplace(arith::double_buffer_key, Attribute{make_int(step.buffer_index)}).second;
  if (!is_new)
    return Refusal{
        "annotated_already", fmt::format("block {} has a double buffer already", block.name), {}, [] {
          return std::string("unannotate double_buffer_scope first");
        }};
  const Function marked = with(f, path, std::move(block));
  for (arith::PipelinedLoop& loop : arith::pipelined_loops(marked))
    if (auto* problem = std::get_if<arith::NotPipelined>(&loop.stages))
      return as_refusal(std::move(*problem));
  return Applied{marked};
}

}  // namespace ardea::schedule
