#pragma once

#include "ardea/ops/registry.h"
#include "ardea/target/target.h"

namespace ardea::recipes {

/// Whether the workload is worth the start of threads: it moves more than the nearest cache holds.
bool worth_threads(const ops::Workload& workload, const target::Target& target);

}  // namespace ardea::recipes
