#pragma once

#include <string_view>

#include <string>
#include <vector>

namespace ardea {

/// The threads that a loop can be bound to: "threadIdx.x", "blockIdx.y", "vthread", …
const std::vector<std::string>& thread_axes();

/// Along which the lanes of a warp follow each other: warps are counted along the others.
inline constexpr std::string_view lane_axis = "threadIdx.x";

}  // namespace ardea
