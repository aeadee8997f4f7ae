#pragma once

#include <optional>

#include "ardea/schedule/analysis/own_memory.h"
#include "ardea/schedule/outcome.h"

namespace ardea::schedule {

/// For the step that made `after` of `before`: refused where what earlier steps were accepted for would no
/// longer be proved: memory that the iterations of a concurrent loop have for themselves (concurrency.h), and
/// loops that are to be pipelines (pipelines.h).
std::optional<Refusal> refuse_broken_promises(OwnMemory& before, OwnMemory& after);

}  // namespace ardea::schedule
