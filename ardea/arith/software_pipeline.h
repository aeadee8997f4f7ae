#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ardea/ir/function.h"

/// Loops that run as pipelines: of each statement of the body another iteration runs at a time. Lowering
/// writes them so, and schedules accept them because it will: both ask here, so that they cannot disagree.

namespace ardea::arith {

/// Of each statement of the sequence that is a loop's body: time t of the pipeline runs its iteration
/// t − stage, and of the statements of one time the one of the smallest `order` comes first.
struct PipelineStages {
  std::vector<std::int64_t> stage, order;
};

/// Why a loop cannot run so.
struct NotPipelined {
  std::string code;  ///< as docs/schedules.md lists them
  std::string fact, way_out;
};

/// The greatest stage there may be: each stage is one more copy of the body before the loop and after it.
inline constexpr std::int64_t greatest_stage = 15;

/// Whether the loop at the end of `way`, the statements from the body of f down to it, computes the same when
/// it runs in these stages. Memory that a block allocates and of which each iteration reads only what it has
/// written itself does not tie iterations together: it gets as many versions as there are iterations at work.
std::optional<NotPipelined> refuse_stages(const Function& f, const std::vector<Stmt>& way,
                                          const PipelineStages& stages);

/// How many versions memory needs that the statements at these positions touch, and that is each
/// iteration's own: none may be filled again before the last of them has run. No more than iterations, where
/// these are a number.
std::int64_t versions_needed(const PipelineStages& stages, const std::vector<std::size_t>& touching,
                             const Expr& iterations);

/// The buffers that lowering allocates between the loop at the end of `way` and its body's sequence.
std::vector<Buffer> buffers_of_an_iteration(const Function& f, const std::vector<Stmt>& way);

/// "statement 2 (Y)": by its position, counted from 1, and its first block.
std::string name_of_part(const std::vector<Stmt>& parts, std::size_t position);

}  // namespace ardea::arith
