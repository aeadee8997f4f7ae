#pragma once

#include <optional>

#include "ardea/arith/pipelined_loops.h"
#include "ardea/schedule/outcome.h"
#include "ardea/schedule/program/tree.h"

/// What steps ask about loops that lowering will write as pipelines.

namespace ardea::schedule {

Refusal as_refusal(arith::NotPipelined problem);

/// Refused where the loop at the end of the path is a pipeline already.
std::optional<Refusal> refuse_pipelined_twice(const Function& f, const Path& path);

/// For the step that made `after` of `before`: refused where a loop or a double buffer that is marked could
/// not be lowered as it says.
std::optional<Refusal> refuse_broken_pipelines(const Function& before, const Function& after);

}  // namespace ardea::schedule
