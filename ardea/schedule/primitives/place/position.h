#pragma once

#include "ardea/schedule/outcome.h"
#include "ardea/schedule/program/reference.h"

namespace ardea::schedule {

/// Where a statement goes among others: at `index`, or the last (-1) or first (-2) place of [first, last].
Result<std::size_t> position_of(std::int64_t index, std::size_t first, std::size_t last, const LoopRef& loop);

}  // namespace ardea::schedule
