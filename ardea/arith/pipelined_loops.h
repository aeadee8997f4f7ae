#pragma once

#include <variant>

#include "ardea/arith/software_pipeline.h"

/// Which loops of a program are to run as pipelines: annotations say so.

namespace ardea::arith {

/// On a loop: one number a statement of its body. Where only one of the two is there, all stages are 0, or
/// the order is that of the program.
inline constexpr auto pipeline_stage_key = "software_pipeline_stage";
inline constexpr auto pipeline_order_key = "software_pipeline_order";
/// On a block: which of the buffers that it writes gets two versions, one of which is filled while the other
/// is read.
inline constexpr auto double_buffer_key = "double_buffer_scope";

/// On the steady state of a pipeline, which lowering makes: how many iterations what fills its memory is
/// ahead of what reads it.
inline constexpr auto pipeline_lead_key = "pipeline_lead";
/// On an allocation that such a pipeline fills ahead of what reads it: how many versions there are, the first
/// index of its buffers where that is more than one. A short loop has no steady state that would tell.
inline constexpr auto pipeline_versions_key = "pipeline_versions";

struct PipelinedLoop {
  std::vector<Stmt>
      way;  ///< from the body of the function down to the loop, or to the block that has no loop
  std::variant<PipelineStages, NotPipelined> stages;
};

/// Every loop that an annotation speaks of, with its stages or why it has none: the two kinds of annotations
/// are one machinery. What makes a double buffer has stage 0 and goes first, with the statements that it
/// needs in the same iteration; all others have stage 1.
std::vector<PipelinedLoop> pipelined_loops(const Function& f);

/// The loop that fills the buffer for one iteration after the other, and that a double buffer makes a
/// pipeline of: `way` leads from the body of f to a block that writes it.
std::variant<std::vector<Stmt>, NotPipelined> loop_of_double_buffer(const Function& f,
                                                                    const std::vector<Stmt>& way,
                                                                    std::int64_t index);

/// The annotations as the numbers of a list of constants; nothing where they are something else.
std::optional<std::vector<std::int64_t>> numbers_of(const Attribute& attribute);
Attribute attribute_of(const std::vector<std::int64_t>& numbers);

}  // namespace ardea::arith
