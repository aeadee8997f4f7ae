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

std::int64_t spilled_bytes(const Function& f) {
  const std::vector<Function> lowered = {lower::lower(f, newest_gpu())};
  return compile::cubin_of(codegen::cuda_source(lowered, newest_gpu(), {}), newest_gpu().cpu, true)
      .spilled_bytes;
}

/// That the variable of that name has that value.
space::Constraint has_value(const SolvedSketch& one, const std::string& name, std::int64_t value) {
  return {name, "", {}, space::Member{one.sketch.system.get(name), space::Domain::of({value})}};
}

/// Those that the model chooses, of every seventh operator, for the older two of every 13th, and of every
/// 17th operator, or of all where samples are asked for (answers.cc), one by chance. CUDA 13 compiles for
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
      if (test::takes_case(i, is_newest ? 9 : 19))
        add(model_schedule(workload.program, target, rules_for(target))->schedule.program(), "_model");
      const bool is_sampled = test::takes_case(i, 29) || std::getenv("ARDEA_GPU_SAMPLES") != nullptr;
      if (!is_newest || !is_sampled) continue;
      const ProgramSpace space = program_space(workload.program, target, rules_for(target));
      add(space.materialise(space.sample(1, 3).choices.front()).program(), "_sample");
    }
    EXPECT_NO_THROW(compile::cubin_of(codegen::cuda_source(kernels, target, {}), target.cpu, true)) << name;
  }
}

// A thread that holds 96 numbers, and may have 64 registers.
TEST(GpuKernels, that_spill_are_seen) {
  if (const std::string why = compile::why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  const auto kernel = [](int threads) {
    return compile::cubin_of(fmt::format(R"(
extern "C" __global__ void __launch_bounds__({}) holds(float* data) {{
  float held[96];
  #pragma unroll
  for (int i = 0; i < 96; ++i) held[i] = data[i * 7 + threadIdx.x];
  __syncthreads();
  #pragma unroll
  for (int i = 0; i < 96; ++i) data[threadIdx.x * 96 + i] = held[i] * held[(i * 5 + 3) % 96];
}}
)",
                                         threads),
                             "sm_90a", true);
  };
  const compile::Cubin roomy = kernel(128), narrow = kernel(1024);
  EXPECT_EQ(roomy.spilled_bytes, 0);
  EXPECT_GT(roomy.registers, 96);
  EXPECT_GT(narrow.spilled_bytes, 0);
  EXPECT_LE(narrow.registers, 64);
}

// Tiles as large as registers allow, of convolutions whose copies know much of their rows.
TEST(GpuKernels, of_convolutions_spill_nothing) {
  if (const std::string why = compile::why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  std::vector<ops::Workload> all = {
      {.op = "dil", .sizes = {16, 56, 56, 64, 64, 3, 3, 1, 1, 2}, .layout = "nhwc"},
      {.op = "t2d", .sizes = {16, 14, 14, 256, 512, 3, 3, 1, 1, 1, 0}, .layout = "nhwc"},
  };
  if (test::takes_all_cases()) {
    all.push_back({.op = "c2d", .sizes = {16, 56, 56, 64, 64, 3, 3, 1, 1, 1}, .layout = "nhwc"});
    all.push_back({.op = "c3d", .sizes = {8, 8, 56, 56, 64, 64, 3, 3, 3, 1, 1, 1}, .layout = "ndhwc"});
  }
  for (ops::Workload& one : all) {
    one.in = {float16, float16}, one.out = float16;
    const Function program = aligned(one);
    EXPECT_EQ(spilled_bytes(by_the_model(program)), 0) << one.op;
    if (!test::takes_all_cases()) continue;
    const ProgramSpace space = program_space(program, newest_gpu(), rules_for(newest_gpu()));
    for (const Choice& choice : space.sample(20, 7).choices)
      EXPECT_EQ(spilled_bytes(space.materialise(choice).program()), 0) << one.op;
  }
}

// Blocks of 512 and of 1024 threads, which take 48 and 38 registers each: with 40 and 32 a third and a second
// block fit on a multiprocessor, for which the assembler would spill.
TEST(GpuKernels, spill_nothing_to_make_room_for_another_block) {
  if (const std::string why = compile::why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  const auto spilled = [](const ops::Workload& wanted, const std::string& ways, std::int64_t rows) {
    const ProgramSpace space = program_space(aligned(wanted), newest_gpu(), rules_for(newest_gpu()));
    for (std::size_t i = 0; i < space.sketches.size(); ++i) {
      const SolvedSketch& one = space.sketches[i];
      if (to_string(one.sketch.ways).find(ways) == std::string::npos) continue;
      const auto found = one.solver->solve({has_value(one, wanted.op + "_rows", rows)}, 1);
      if (!found.point.empty()) return spilled_bytes(space.materialise({i, found.point}).program());
    }
    ADD_FAILURE() << wanted.op << " has no such program";
    return std::int64_t{0};
  };
  EXPECT_EQ(spilled({.op = "softmax", .sizes = {1024, 1000}},
                    "softmax threads of a row = 32, softmax rows kept in = memory alone", 16),
            0);
  EXPECT_EQ(spilled({.op = "layernorm", .sizes = {333, 5000}},
                    "layernorm threads of a row = 1024, layernorm rows kept in = registers", 1),
            0);
}

// The assembler asks for fragments of a third step of a panel while it has two: of 2 × 8 they are more than
// fit beside the sums.
TEST(GpuKernels, of_long_panels_have_registers_for_a_third_step) {
  const Function program =
      aligned({.op = "gemm", .sizes = {32, 192, 256}, .in = {float16, float16}, .out = float16});
  const ProgramSpace space = program_space(program, newest_gpu(), rules_for(newest_gpu()));
  std::size_t long_ones = 0;
  for (std::size_t i = 0; i < space.sketches.size(); ++i) {
    const SolvedSketch& one = space.sketches[i];
    if (to_string(one.sketch.ways).find("steps in a panel = 4") == std::string::npos) continue;
    ++long_ones;
    const space::Constraint wide = has_value(one, "pairs_n", 8);
    EXPECT_TRUE(one.solver->solve({wide, has_value(one, "frags_m", 2)}, 1).point.empty());
    const auto narrow = one.solver->solve({wide, has_value(one, "frags_m", 1)}, 1);
    ASSERT_FALSE(narrow.point.empty());
    if (!compile::why_no_nvrtc().empty() || !test::takes_case(i, 7)) continue;
    EXPECT_EQ(spilled_bytes(space.materialise({i, narrow.point}).program()), 0);
  }
  EXPECT_GT(long_ones, 0U);
}

// Of 512 threads each may have 128 registers: beside 8 × 8 sums there are enough for what is read, beside
// 16 × 4 there are not.
TEST(GpuKernels, of_sums_by_threads_have_registers_for_what_they_read) {
  const Function program = aligned({.op = "gemm", .sizes = {257, 32, 130}});
  const ProgramSpace space = program_space(program, newest_gpu(), rules_for(newest_gpu()));
  for (std::size_t i = 0; i < space.sketches.size(); ++i) {
    const SolvedSketch& one = space.sketches[i];
    const auto found = [&](std::int64_t warps_m, std::int64_t squares_m, std::int64_t squares_n) {
      return one.solver
          ->solve({has_value(one, "warps_m", warps_m), has_value(one, "warps_n", 16 / warps_m),
                   has_value(one, "squares_m", squares_m), has_value(one, "squares_n", squares_n)},
                  1)
          .point;
    };
    EXPECT_TRUE(found(4, 4, 1).empty());
    const space::Point squares = found(8, 2, 2);
    ASSERT_FALSE(squares.empty());
    if (!compile::why_no_nvrtc().empty() || !test::takes_case(i, 3)) continue;
    EXPECT_EQ(spilled_bytes(space.materialise({i, squares}).program()), 0);
  }
}

}  // namespace

}  // namespace ardea::rules
