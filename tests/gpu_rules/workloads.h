#pragma once

#include <string>
#include <vector>

#include "ardea/ir/function.h"
#include "ardea/target/target.h"

namespace ardea::rules {

/// An operator at small sizes.
struct GpuWorkload {
  std::string words;  ///< "softmax 13,29"
  Function program;
};

/// Of every operator one at least: those of tests/samples.txt that are meant for any machine.
const std::vector<GpuWorkload>& gpu_workloads();

/// The GPUs that rules are tried for, oldest first.
const std::vector<target::Target>& gpus();

/// Without what a test's name must not have.
std::string name_of(const GpuWorkload& workload);

}  // namespace ardea::rules
