#include <gtest/gtest.h>

#include <algorithm>

#include "ardea/codegen/cuda/codegen_cuda.h"
#include "ardea/compile/nvrtc.h"
#include "ardea/ir/memory_alignment.h"
#include "ardea/lower/gpu/split_kernels.h"
#include "ardea/lower/pipeline.h"
#include "ardea/rules/program_space.h"
#include "tests/gpu_rules/workloads.h"
#include "tests/lower/finished_kernels.h"
#include "tests/rules/answers.h"
#include "tests/support/sampled.h"

/// Products that warps multiply in groups, out of shared memory.

namespace ardea::rules {

namespace {

Function of_narrow_type(ops::Workload wanted, DataType type = float16) {
  wanted.in = {type, type};
  wanted.out = type;
  Function program = program_of(wanted);
  for (const Parameter& p : std::vector(program.parameters))
    program = promise_alignment(program, p.buffer->name, 16, "test");
  return program;
}

bool is_of_groups(const SolvedSketch& one) {
  for (const Way& way : one.sketch.ways)
    if (way.question.starts_with("warps multiply in groups")) return way.answers[way.taken] == "yes";
  return false;
}

/// Points of each sketch of groups.
std::vector<Choice> points_of_groups(const ProgramSpace& space, std::size_t of_each) {
  std::vector<Choice> all;
  for (std::size_t i = 0; i < space.sketches.size(); ++i) {
    if (!is_of_groups(space.sketches[i])) continue;
    for (space::Point& point : space.sketches[i].solver->sample(of_each, 3).points)
      all.push_back({i, std::move(point)});
  }
  return all;
}

const std::vector<std::pair<std::string, Function>>& group_workloads() {
  static const std::vector<std::pair<std::string, Function>> all = {
      {"odd", of_narrow_type({.op = "gemm", .sizes = {67, 72, 136}})},
      {"gemm", of_narrow_type({.op = "gemm", .sizes = {128, 128, 64}})},
      {"primes", of_narrow_type({.op = "gemm", .sizes = {71, 67, 73}})},
      {"transposed", of_narrow_type({.op = "gemm", .sizes = {64, 136, 130}, .transpose_b = true}, bfloat16)},
      {"windows", of_narrow_type({.op = "c2d", .sizes = {2, 7, 9, 16, 64, 3, 3, 1, 1, 1}, .layout = "nhwc"})},
      {"batches", of_narrow_type({.op = "bmm", .sizes = {3, 64, 128, 64}})},
      {"boxes", of_narrow_type({.op = "gemm", .sizes = {70, 136, 72}}, bfloat16)},
      {"strided",
       of_narrow_type({.op = "c2d", .sizes = {3, 13, 11, 64, 72, 1, 1, 2, 0, 1}, .layout = "nhwc"})},
      {"bias", of_narrow_type({.op = "gemm_bias_relu", .sizes = {96, 64, 72}})},
      {"boxes_of_batches", of_narrow_type({.op = "bmm", .sizes = {3, 72, 136, 64}})},
      {"boxes_of_pixels",
       of_narrow_type({.op = "c2d", .sizes = {3, 5, 7, 136, 72, 1, 1, 1, 0, 1}, .layout = "nhwc"})},
  };
  return all;
}

class GroupProducts : public testing::TestWithParam<std::size_t> {};

// Each in two orders of threads, once with the memory of a block where the kernel has it; and compiled, where
// that can be.
TEST_P(GroupProducts, have_the_answers_of_the_program_and_spill_nothing) {
  if (!test::takes_case(GetParam(), 6)) GTEST_SKIP() << "one of six: `make test-whole`";
  const auto& [name, program] = group_workloads()[GetParam()];
  const Answers answers(program);
  const ProgramSpace space = program_space(program, newest_gpu(), rules_for(newest_gpu()));
  for (const LeftOut& out : space.left_out) ADD_FAILURE() << to_string(out.ways) << ": " << out.reason;
  EXPECT_EQ(space.not_followed, 0U);
  const std::vector<Choice> points = points_of_groups(space, 1);
  EXPECT_FALSE(points.empty());
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!test::takes_case(i, 3) && !test::takes_case(i, 5)) continue;
    SCOPED_TRACE(name + ": " + to_string(space.sketches[points[i].sketch].sketch.ways));
    const std::vector<Function> lowered = {
        lower::lower(space.materialise(points[i]).program(), newest_gpu())};
    if (compile::why_no_nvrtc().empty()) {
      const std::string text = codegen::cuda_source(lowered, newest_gpu(), {});
      EXPECT_EQ(compile::cubin_of(text, newest_gpu().cpu, true).spilled_bytes, 0);
    }
    if (!test::takes_case(i, 5)) continue;
    answers.expect_of(lowered[0]);
    answers.expect_of(lower::joined(lower::split_kernels(lowered[0], newest_gpu())));
  }
}

INSTANTIATE_TEST_SUITE_P(Of, GroupProducts, testing::Range(std::size_t{0}, group_workloads().size()),
                         [](const auto& info) { return group_workloads()[info.param].first; });

TEST(GpuGroups, are_what_large_ones_become) {
  const std::string text = kernels_of(of_narrow_type({.op = "gemm", .sizes = {4096, 4096, 4096}}));
  EXPECT_GT(count_of(text, "  wgmma_m64n"), 0);
  EXPECT_EQ(count_of(text, "ldmatrix"), 0);
  EXPECT_GT(count_of(text, "wait_for_products("), 0);
}

TEST(GpuGroups, ask_for_boxes_where_that_is_faster) {
  const std::string text = kernels_of(of_narrow_type({.op = "gemm", .sizes = {4096, 4096, 4096}}));
  EXPECT_GT(count_of(text, "  copy_box<"), 0);
  EXPECT_EQ(count_of(text, "  copy_async"), 0);
  // Asked for behind the product that they stand before, which is waited for at the barrier.
  const std::size_t loop = text.find("for (int32_t k_0"), product = text.find("wgmma_m64n", loop);
  EXPECT_LT(product, text.find("copy_box<", loop));
  EXPECT_LT(text.find("copy_box<", loop), text.find("wait_for_products(", product));
}

int boxes_in(const ops::Workload& workload) {
  return count_of(kernels_of(of_narrow_type(workload)), "  copy_box<");
}

TEST(GpuGroups, have_both_factors_copied_by_a_unit_or_none) {
  EXPECT_GT(boxes_in({.op = "gemm", .sizes = {4096, 4096, 4096}, .transpose_b = true}), 0);
  EXPECT_GT(boxes_in({.op = "bmm", .sizes = {96, 2048, 2048, 128}}), 0);
  EXPECT_GT(boxes_in({.op = "c2d", .sizes = {16, 56, 56, 512, 1024, 1, 1, 1, 0, 1}, .layout = "nhwc"}), 0);
  EXPECT_EQ(boxes_in({.op = "gemm", .sizes = {4096, 4092, 4096}}), 0) << "rows of 8184 bytes";
}

TEST(GpuGroups, need_a_gpu_that_has_them) {
  const Function program = of_narrow_type({.op = "gemm", .sizes = {4096, 4096, 4096}});
  EXPECT_EQ(count_of(kernels_of(program, target::find("a100")), "wgmma"), 0);
}

}  // namespace

}  // namespace ardea::rules
