#pragma once

#include "ardea/measure/work.h"
#include "ardea/target/target.h"

namespace ardea::measure {

/// Whether programs for this work wait for memory that other cores use, too: then whatever others compile
/// meanwhile is in their way. By the target's measured peaks, or where it has none by what machines of today
/// can compute while a byte arrives.
bool is_memory_bound(const Work& work, const target::Target& target);

}  // namespace ardea::measure
