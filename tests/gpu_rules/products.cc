#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "ardea/ir/block_order.h"
#include "ardea/ir/print.h"
#include "ardea/lower/pipeline.h"
#include "ardea/rules/gpu/tensor_tiles.h"
#include "ardea/rules/program_space.h"
#include "tests/gpu_rules/workloads.h"
#include "tests/rules/answers.h"
#include "tests/support/sampled.h"

/// What products and convolutions become on tensor instructions, and without them. That their answers are
/// right is asked of all operators in answers.cc.

namespace ardea::rules {

namespace {

Function halves(ops::Workload wanted) {
  wanted.in = {float16, float16};
  wanted.out = float16;
  return aligned(wanted);
}

TEST(GpuProducts, are_multiplied_by_tensor_instructions_out_of_copies_under_way) {
  const std::string text = kernels_of(halves({.op = "gemm", .sizes = {48, 256, 256}}));
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

// Sums are float32 and come in two accesses, results are float16 and leave in one.
TEST(GpuProducts, store_sixteen_bytes_of_results_at_once) {
  const std::string text = kernels_of(halves({.op = "gemm", .sizes = {67, 136, 72}}));
  EXPECT_GT(count_of(text, "*(Pack<__half,8>*)(C + "), 0);
  EXPECT_EQ(count_of(text, "*(Pack<__half,4>*)(C + "), 0);
}

TEST(GpuProducts, of_convolutions_have_no_matrix_in_memory) {
  const Function program = halves({.op = "c2d", .sizes = {2, 8, 8, 16, 32, 3, 3, 1, 1, 1}, .layout = "nhwc"});
  const std::string text = kernels_of(program);
  EXPECT_EQ(count_of(text, "__global__"), 1);
  EXPECT_GT(count_of(text, "mma_m16n8k16_f16(out"), 0);
  EXPECT_GT(count_of(text, "copy_async_or_zero<16>("), 0) << "channels lie side by side";
}

// Of its sums the channels are the outermost, and lie side by side.
TEST(GpuProducts, of_transposed_convolutions_copy_channels_at_once) {
  const std::string text =
      kernels_of(halves({.op = "t2d", .sizes = {2, 8, 8, 16, 32, 3, 3, 1, 1, 1}, .layout = "nhwc"}));
  EXPECT_GT(count_of(text, "mma_m16n8k16_f16(out"), 0);
  EXPECT_GT(count_of(text, "copy_async_or_zero<16>(") + count_of(text, "copy_or_zero<16>("), 0);
  EXPECT_EQ(count_of(text, "copy_async_or_zero<2>(") + count_of(text, "copy_or_zero<2>("), 0);
}

// Rows a stride apart are multiplied with the same part of the kernel: a product for each of the stride's
// remainders, none of which has more of the kernel than it needs.
TEST(GpuProducts, of_strided_transposed_convolutions_are_as_many_as_the_stride_has_remainders) {
  const std::string text =
      kernels_of(halves({.op = "t2d", .sizes = {2, 8, 8, 64, 32, 4, 4, 2, 1, 1}, .layout = "nhwc"}));
  EXPECT_EQ(count_of(text, "__global__"), 1);
  EXPECT_GT(count_of(text, "mma_m16n8k16_f16(out"), 0);
  EXPECT_GT(count_of(text, "copy_async_kept_or_zero<16>("), 0);
  EXPECT_EQ(count_of(text, ", 4), block (32"), 1) << text.substr(text.find("// grid"), 60);
}

// Channels of a group are multiplied with the same data, and lie side by side.
TEST(GpuProducts, of_convolutions_in_groups_are_as_many_as_groups) {
  const std::string text =
      kernels_of(halves({.op = "grouped", .sizes = {2, 8, 8, 96, 96, 3, 3, 1, 1, 1, 3}, .layout = "nhwc"}));
  EXPECT_EQ(count_of(text, "__global__"), 1);
  EXPECT_EQ(count_of(text, ", 3), block (32"), 1) << text.substr(text.find("// grid"), 60);
  EXPECT_GT(count_of(text, "mma_m16n8k16_f16(out"), 0);
  EXPECT_GT(count_of(text, "copy_async<16>(kernel"), 0);
  EXPECT_EQ(count_of(text, "copy_async_or_zero<2>(") + count_of(text, "copy_or_zero<2>("), 0);
}

// The sums go on to whole strides, the results do not.
TEST(GpuProducts, of_strided_transposed_convolutions_take_any_number_of_rows) {
  const std::string text =
      kernels_of(halves({.op = "t2d", .sizes = {2, 8, 8, 64, 32, 3, 3, 2, 0, 1}, .layout = "nhwc"}));
  EXPECT_EQ(count_of(text, "__global__"), 1);
  EXPECT_GT(count_of(text, "mma_m16n8k16_f16(out"), 0);
  EXPECT_GT(count_of(text, "*(Pack<__half,8>*)(out + "), 0);
}

// Rows of the result lie one behind the other in memory: neighbouring threads store what is side by side in
// one of them, and wait for no other warp between two.
TEST(GpuProducts, of_convolutions_store_whole_rows) {
  for (const std::int64_t rows : {16, 15}) {
    const std::string text =
        kernels_of(halves({.op = "c2d", .sizes = {2, rows, 16, 64, 128, 3, 3, 1, 1, 1}, .layout = "nhwc"}));
    const std::string stored = text.substr(text.find("mma_store_f16(out"));
    EXPECT_GT(count_of(stored, "thread_x % 16 * 8") + count_of(stored, "thread_x % 8 * 8"), 0) << stored;
    EXPECT_EQ(count_of(stored, "__syncthreads()"), 0) << stored;
  }
}

// Rows behind the last one, and elements around the image: both are asked for at each copy.
TEST(GpuProducts, ask_without_a_branch_what_there_is_to_copy) {
  const std::string text =
      kernels_of(halves({.op = "c2d", .sizes = {3, 7, 11, 64, 48, 3, 3, 1, 1, 1}, .layout = "nhwc"}));
  EXPECT_GT(count_of(text, "copy_async_kept_or_zero<16>("), 0);
  EXPECT_GT(count_of(text, " < 231 && "), 0);
  EXPECT_EQ(count_of(text, "} else {"), 0);
  EXPECT_EQ(count_of(text, "  bool holds"), 0) << "set in a branch";
}

// The indices of a steady copy cost more than one question may: its parts are asked for one by one.
TEST(GpuProducts, copy_at_once_where_the_indices_are_long) {
  const std::string text =
      kernels_of(halves({.op = "dil", .sizes = {16, 28, 28, 96, 128, 3, 3, 1, 1, 2}, .layout = "nhwc"}));
  EXPECT_GT(count_of(text, "copy_async_or_zero<16>("), 0);
  EXPECT_EQ(count_of(text, "__half value"), 0) << "lane by lane";
}

TEST(GpuProducts, that_no_tensor_instruction_takes_are_left_to_threads) {
  EXPECT_EQ(count_of(kernels_of(aligned({.op = "gemm", .sizes = {64, 64, 64}})), "mma_"), 0)
      << "factors of float32 would be rounded";
  EXPECT_EQ(count_of(kernels_of(halves({.op = "gemm", .sizes = {8, 64, 64}})), "mma_"), 0)
      << "most of a tile would be padding";
}

// What a thread multiplies in a step comes by accesses of sixteen bytes, and nothing goes lane by lane but
// the factor that is turned on its way.
TEST(GpuProducts, of_threads_are_squares_in_registers_out_of_panels_under_way) {
  const std::string text = kernels_of(aligned({.op = "gemm", .sizes = {2048, 2048, 2048}}));
  EXPECT_EQ(count_of(text, "__global__"), 1);
  EXPECT_NE(text.find("alignas(16) float C_local[128]"), std::string::npos) << text;
  EXPECT_GT(count_of(text, "copy_async<16>(B_shared"), 0);
  EXPECT_GT(count_of(text, "copy_async<4>(A_shared"), 0);
  EXPECT_GT(count_of(text, "const Pack<float,4> A_shared_row"), 0);
  EXPECT_GT(count_of(text, "const Pack<float,4> B_shared_row"), 0);
  EXPECT_GT(count_of(text, "const Pack<float,4> C_local_row"), 0);
  EXPECT_EQ(count_of(text, "A_shared["), 0);
  EXPECT_EQ(count_of(text, "B_shared["), 0);
}

/// The blocks of the first launch: "// grid (4, 8, 1), …".
std::int64_t blocks_in(const std::string& text) {
  long x = 0, y = 0, z = 0;
  const std::size_t at = text.find("// grid (");
  EXPECT_EQ(std::sscanf(text.c_str() + at, "// grid (%ld, %ld, %ld)", &x, &y, &z), 3) << text;
  return x * y * z;
}

TEST(GpuProducts, of_threads_have_tiles_for_most_multiprocessors) {
  for (const std::int64_t size : {256, 1024}) {
    const std::string text = kernels_of(aligned({.op = "gemm", .sizes = {size, size, size}}));
    EXPECT_GE(blocks_in(text), std::min<std::int64_t>(size * size / 1024, newest_gpu().cores * 9 / 10))
        << size;
  }
}

TEST(GpuProducts, of_threads_read_channels_of_convolutions_where_they_lie) {
  const std::string text =
      kernels_of(aligned({.op = "c2d", .sizes = {2, 8, 8, 16, 32, 3, 3, 1, 1, 1}, .layout = "nhwc"}));
  EXPECT_EQ(count_of(text, "__global__"), 1);
  EXPECT_GT(count_of(text, "copy_async_or_zero<4>("), 0) << "borders are asked for where they are copied";
  EXPECT_GT(count_of(text, "copy_async<16>("), 0) << "the kernel's rows lie side by side";
}

TEST(GpuProducts, of_threads_are_left_to_other_rules_where_they_are_thin) {
  for (const std::vector<std::int64_t>& sizes : {std::vector<std::int64_t>{4, 256, 256}, {256, 256, 8}})
    EXPECT_EQ(kernels_of(aligned({.op = "gemm", .sizes = sizes})).find("A_shared_row"), std::string::npos);
}

TEST(GpuProducts, of_threads_leave_tiles_and_panels_open) {
  const Function program = aligned({.op = "gemm", .sizes = {64, 32, 64}});
  for (const char* gpu : {"t4", "h200"}) {
    const target::Target target = target::find(gpu);
    const ProgramSpace space = program_space(program, target, rules_for(target));
    EXPECT_TRUE(space.left_out.empty());
    EXPECT_EQ(space.sketches.size(), target.gpu->copy_engines.empty() ? 1U : 3U) << "panels under way";
  }
}

TEST(GpuProducts, of_few_results_are_made_in_parts_that_a_second_launch_adds) {
  const std::string text = kernels_of(halves({.op = "gemm", .sizes = {32, 2048, 64}}));
  EXPECT_EQ(count_of(text, "__global__"), 2);
  EXPECT_GT(count_of(text, "blockIdx.z"), 0);
  EXPECT_GT(count_of(text, "copy_async<16>("), 0) << "parts begin where elements lie side by side";
}

// Each panel of theirs is read once: as many bytes must be under way as memory takes time to answer.
TEST(GpuProducts, of_few_rows_have_wide_tiles_and_more_panels_under_way) {
  EXPECT_EQ(panels_under_way({.m = 32, .n = 4096, .k = 1024}, 64), (std::vector<std::int64_t>{2, 4, 6, 8}));
  EXPECT_EQ(panels_under_way({.m = 33, .n = 4096, .k = 1024}, 64), (std::vector<std::int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(panels_under_way({.m = 32, .n = 4096, .k = 128}, 64), (std::vector<std::int64_t>{1}));
  const auto grid_of = [](const std::vector<std::int64_t>& sizes) {
    const std::string text = kernels_of(halves({.op = "gemm", .sizes = sizes}));
    const std::size_t at = text.find("// grid ") + 8;
    return text.substr(at, text.find(", block", at) - at);
  };
  EXPECT_EQ(grid_of({32, 4096, 4096}), "(32, 1, 4)");
  EXPECT_EQ(grid_of({33, 4096, 4096}), "(32, 2, 2)");
}

TEST(GpuProducts, of_threads_are_made_in_parts_where_results_are_few) {
  const Function program = aligned({.op = "gemm", .sizes = {17, 512, 16}});
  EXPECT_EQ(count_of(kernels_of(program), "__global__"), 2);
  Answers(program).expect_of(lower::lower(by_the_model(program), newest_gpu()));
}

TEST(GpuProducts, leave_tiles_and_panels_open) {
  const Function program = halves({.op = "gemm", .sizes = {64, 256, 64}});
  const ProgramSpace space = program_space(program, newest_gpu(), rules_for(newest_gpu()));
  EXPECT_TRUE(space.left_out.empty());
  EXPECT_EQ(space.not_followed, 0U);
  EXPECT_EQ(space.sketches.size(), 14U + 3U + 3U)
      << "panels of 2 steps, 1 to 4 under way, of 4 steps, 1 to 3 of 4, results both ways; groups with 64 "
         "columns, 1 to 3 panels under way, copied by threads or by a unit";
  for (const auto& [sketch, solver] : space.sketches)
    for (const schedule::Refusal& open : sketch.deferred)
      ADD_FAILURE() << to_string(sketch.ways) << ": " << open.fact;
}

// Half the bytes of what is summed, so that it is converted before it lies in shared memory, where tiles end
// beyond the matrix, too; where more is made of the sums, behind it.
TEST(GpuProducts, go_through_shared_memory_as_what_they_become) {
  for (const ops::Workload& whole :
       {ops::Workload{.op = "gemm", .sizes = {64, 64, 64}},
        ops::Workload{.op = "gemm", .sizes = {67, 136, 72}},
        ops::Workload{.op = "c2d", .sizes = {1, 7, 11, 64, 64, 3, 3, 1, 1, 1}, .layout = "nhwc"},
        ops::Workload{.op = "c2d", .sizes = {2, 8, 8, 32, 32, 3, 3, 1, 1, 1}, .layout = "nhwc"}}) {
    const std::string text = kernels_of(halves(whole));
    EXPECT_GT(count_of(text, "mma_store_f16("), 0) << whole.op;
    EXPECT_EQ(count_of(text, "mma_store_f32("), 0) << whole.op;
  }
  ops::Workload more = {.op = "gemm_bias_relu", .sizes = {67, 136, 72}};
  more.in = {float16, float16, float16};
  more.out = float16;
  EXPECT_GT(count_of(kernels_of(aligned(more)), "mma_store_f32("), 0);
  expect_right_samples(halves({.op = "c2d", .sizes = {1, 4, 8, 16, 16, 3, 3, 1, 1, 1}, .layout = "nhwc"}), 2);
}

/// A GPU whose second cache holds nothing that would be worth it.
target::Target with_small_cache() {
  target::Target target = newest_gpu();
  for (target::Cache& cache : target.caches)
    if (cache.level == 2) cache.bytes = 4096;
  return target;
}

TEST(GpuProducts, that_the_second_cache_cannot_hold_have_blocks_in_groups_of_rows) {
  const target::Target target = with_small_cache();
  const Function large = halves({.op = "gemm", .sizes = {4096, 64, 4096}});
  EXPECT_NE(print(by_the_model(large, target)).find(rows_together_key), std::string::npos);
  EXPECT_EQ(print(by_the_model(large)).find(rows_together_key), std::string::npos);
  expect_right_samples(halves({.op = "gemm", .sizes = {83, 40, 56}}), 2, target);
  if (test::takes_all_cases()) expect_right_samples(aligned({.op = "gemm", .sizes = {64, 8, 33}}), 2, target);
}

TEST(GpuProducts, of_windows_keep_them_in_the_first_cache) {
  const auto kernels = [](std::vector<std::int64_t> sizes, const char* gpu = "a100") {
    return kernels_of(halves({.op = "c2d", .sizes = std::move(sizes), .layout = "nhwc"}), target::find(gpu));
  };
  const std::vector<std::int64_t> sizes = {16, 56, 56, 64, 64, 3, 3, 1, 1, 1};
  EXPECT_EQ(count_of(kernels(sizes, "h200"), "copy_async_kept"), 0)
      << "panels of groups leave it little room";
  const std::string windows = kernels(sizes);
  EXPECT_GT(count_of(windows, "copy_async_kept_or_zero<16>("), 0);
  EXPECT_GT(count_of(windows, "copy_async<16>("), 0) << "the kernel is read by all blocks";
  EXPECT_EQ(count_of(kernels({16, 56, 56, 64, 64, 1, 1, 1, 0, 1}), "copy_async_kept"), 0) << "no windows";
}

// Which rows a remainder of the stride has is a condition whose box takes more work than there is: the box
// without it must serve.
TEST(GpuProducts, transposed_of_odd_sizes_leave_tiles_open) {
  const Function program =
      halves({.op = "t2d", .sizes = {16, 28, 28, 64, 128, 1, 1, 2, 0, 1, 0}, .layout = "nhwc"});
  const ProgramSpace space = program_space(program, newest_gpu(), rules_for(newest_gpu()));
  for (const LeftOut& out : space.left_out) ADD_FAILURE() << to_string(out.ways) << ": " << out.reason;
  EXPECT_EQ(space.sketches.size(), 4U) << "panels of 2 and 4 steps; groups with 64 and 128 columns";
}

// That each block has sums of its own takes the longest to prove where rows are made of four axes.
TEST(GpuProducts, of_windows_in_three_dimensions_have_a_place_for_their_sums) {
  if (!test::takes_all_cases()) GTEST_SKIP() << "ten seconds: `make test-whole`";
  const Function program =
      halves({.op = "c3d", .sizes = {1, 4, 28, 28, 8, 32, 3, 3, 3, 1, 1, 1}, .layout = "ndhwc"});
  const ProgramSpace space = program_space(program, newest_gpu(), rules_for(newest_gpu()));
  for (const LeftOut& out : space.left_out) ADD_FAILURE() << to_string(out.ways) << ": " << out.reason;
  EXPECT_EQ(space.sketches.size(), 8U) << "panels of 2 and 4 steps, 1 to 4 under way";
}

}  // namespace

}  // namespace ardea::rules
