#pragma once

#include <string>
#include <vector>

#include "ardea/ir/function.h"
#include "ardea/ops/registry.h"
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

/// The newest of them, which tests that need one take.
const target::Target& newest_gpu();

Function program_of(const ops::Workload& wanted);
/// The same, whose arrays begin on multiples of 16 bytes.
Function aligned(const ops::Workload& wanted);

/// What the rules choose for it.
Function by_the_model(const Function& program, const target::Target& target = newest_gpu());
/// The same as CUDA C++.
std::string kernels_of(const Function& program, const target::Target& target = newest_gpu());

/// So many samples of the space, and the model's schedule: none is left out, and all have the answers of the
/// program, thread by thread.
void expect_right_samples(const Function& program, std::size_t count,
                          const target::Target& target = newest_gpu());

int count_of(const std::string& text, const std::string& part);

/// Without what a test's name must not have.
std::string name_of(const GpuWorkload& workload);

}  // namespace ardea::rules
