#pragma once

#include <optional>

#include "ardea/lower/lane_code.h"

namespace ardea::lower {

/// The allocation for all lanes at once, element by element: lane l of element e is element e · lanes + l, so
/// that one element of all lanes is a row. The body still names the loop's variable. Nothing where the size
/// is not constant or grows beyond what a stack bears, or where anything but loads and stores of one buffer
/// uses the memory.
std::optional<Allocate> memory_for_lanes(const Allocate& allocation, const LaneLoop& loop);

}  // namespace ardea::lower
