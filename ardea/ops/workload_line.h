#pragma once

#include <optional>
#include <string>

#include "ardea/ops/registry.h"

/// Workloads as the line that names them (to_string), read and shortened.

namespace ardea::ops {

/// Without what is the default: "c2d 1,8,8,3,4,3,3,1,1,1 in=float16,float16".
std::string brief(const Workload& w);

/// The workload of such a line, whole; nothing where it is none.
std::optional<Workload> workload_of(const std::string& line);

}  // namespace ardea::ops
