#include <gtest/gtest.h>

#include "ardea/ir/memory_alignment.h"
#include "ardea/ir/print.h"
#include "ardea/rules/program_space.h"
#include "tests/gpu_rules/workloads.h"

/// What products and convolutions become on tensor instructions. That their answers are right is asked of all
/// operators in answers.cc.

namespace ardea::rules {

namespace {

Function halves(ops::Workload wanted) {
  wanted.in = {float16, float16};
  wanted.out = float16;
  Function program = program_of(wanted);
  for (const Parameter& p : std::vector(program.parameters))
    program = promise_alignment(program, p.buffer->name, 16, "test");
  return program;
}

TEST(GpuProducts, are_multiplied_by_tensor_instructions_out_of_copies_under_way) {
  const std::string text = kernels_of(halves({.op = "gemm", .sizes = {256, 256, 256}}));
  EXPECT_GT(count_of(text, "mma_m16n8k16_f16(C"), 0);
  EXPECT_GT(count_of(text, "copy_async<16>("), 0);
  EXPECT_EQ(count_of(text, "__global__"), 1);
}

// Rows are multiples of eight elements: whether one of them is there, all lanes answer alike.
TEST(GpuProducts, copy_sixteen_bytes_at_once_where_tiles_end_beyond_the_matrices) {
  const std::string text = kernels_of(halves({.op = "gemm", .sizes = {67, 136, 72}}));
  EXPECT_GT(count_of(text, "copy_async_or_zero<16>("), 0);
  EXPECT_EQ(count_of(text, "copy_async_or_zero<8>("), 0);
  EXPECT_EQ(count_of(text, "copy_or_zero<"), 0) << "bytes that no engine copies";
}

TEST(GpuProducts, of_convolutions_have_no_matrix_in_memory) {
  const Function program = halves({.op = "c2d", .sizes = {2, 8, 8, 16, 32, 3, 3, 1, 1, 1}, .layout = "nhwc"});
  const std::string text = kernels_of(program);
  EXPECT_EQ(count_of(text, "__global__"), 1);
  EXPECT_GT(count_of(text, "mma_m16n8k16_f16(out"), 0);
  EXPECT_GT(count_of(text, "copy_async_or_zero<16>("), 0) << "channels lie side by side";
}

TEST(GpuProducts, that_no_tensor_instruction_takes_are_left_to_threads) {
  EXPECT_EQ(count_of(kernels_of(program_of({.op = "gemm", .sizes = {64, 64, 64}})), "mma_"), 0)
      << "factors of float32 would be rounded";
  EXPECT_EQ(count_of(kernels_of(halves({.op = "gemm", .sizes = {8, 64, 64}})), "mma_"), 0)
      << "most of a tile would be padding";
}

TEST(GpuProducts, of_few_results_are_made_in_parts_that_a_second_launch_adds) {
  const std::string text = kernels_of(halves({.op = "gemm", .sizes = {32, 2048, 64}}));
  EXPECT_EQ(count_of(text, "__global__"), 2);
  EXPECT_GT(count_of(text, "blockIdx.z"), 0);
  EXPECT_GT(count_of(text, "copy_async<16>("), 0) << "parts begin where elements lie side by side";
}

TEST(GpuProducts, leave_tiles_and_panels_open) {
  const Function program = halves({.op = "gemm", .sizes = {256, 256, 256}});
  const ProgramSpace space = program_space(program, newest_gpu(), rules_for(newest_gpu()));
  EXPECT_TRUE(space.left_out.empty());
  EXPECT_EQ(space.sketches.size(), 16U) << "panels of 2 and 4 steps, 1 to 4 under way, results both ways";
}

}  // namespace

}  // namespace ardea::rules
