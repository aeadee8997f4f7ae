#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "ardea/codegen/cuda/codegen_cuda.h"
#include "ardea/compile/nvrtc.h"
#include "ardea/lower/pipeline.h"
#include "ardea/rules/program_space.h"
#include "tests/gpu_rules/workloads.h"
#include "tests/support/sampled.h"

namespace ardea::rules {

namespace {

/// Those that the model chooses, of every fourth operator, for the older two of every seventh, and of every
/// eleventh operator, or of all where samples are asked for (answers.cc), one by chance. CUDA 13 compiles for
/// nothing older than the T4.
TEST(GpuKernels, of_every_operator_compile) {
  if (const std::string why = compile::why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  for (const char* name : {"t4", "a100", "h200"}) {
    const target::Target target = target::find(name);
    std::vector<Function> kernels;
    for (std::size_t i = 0; i < gpu_workloads().size(); ++i) {
      const GpuWorkload& workload = gpu_workloads()[i];
      const auto add = [&](Function f, const std::string& how) {
        f.name = name_of(workload) + how;
        kernels.push_back(lower::lower(f, target));
      };
      const bool is_newest = std::string(name) == "h200";
      if (test::takes_case(i, is_newest ? 4 : 7))
        add(model_schedule(workload.program, target, rules_for(target))->schedule.program(), "_model");
      const bool is_sampled = test::takes_case(i, 11) || std::getenv("ARDEA_GPU_SAMPLES") != nullptr;
      if (!is_newest || !is_sampled) continue;
      const ProgramSpace space = program_space(workload.program, target, rules_for(target));
      add(space.materialise(space.sample(1, 3).choices.front()).program(), "_sample");
    }
    EXPECT_NO_THROW(compile::cubin_of(codegen::cuda_source(kernels, target, {}), target.cpu, true)) << name;
  }
}

}  // namespace

}  // namespace ardea::rules
