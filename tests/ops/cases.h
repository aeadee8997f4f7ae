#pragma once

#include <string>
#include <vector>

#include "ardea/ops/registry.h"

namespace ardea::test {

/// The workloads that an operator is tested on: at least eight odd shapes in float32, then each of its types
/// on one of these shapes.
std::vector<ops::Workload> workloads_of(const std::string& op);

/// Only the shapes, in float32.
std::vector<ops::Workload> shapes_of(const std::string& op);

}  // namespace ardea::test
