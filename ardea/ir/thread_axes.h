#pragma once

#include <string>
#include <vector>

namespace ardea {

/// The threads that a loop can be bound to: "threadIdx.x", "blockIdx.y", "vthread", …
const std::vector<std::string>& thread_axes();

}  // namespace ardea
