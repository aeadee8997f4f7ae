#include <fmt/core.h>
#include <gtest/gtest.h>

#include "ardea/arith/load.h"
#include "ardea/ir/print.h"
#include "ardea/limits/limits.h"
#include "ardea/lower/limits_of.h"
#include "tests/gpu_rules/workloads.h"

/// Reductions of which each result is made for itself, on GPUs.

namespace ardea::rules {

namespace {

std::string text_of_results(const Function& program) { return print(by_the_model(program)); }

/// With what is made of it, and of what it is made: no memory but the arguments.
TEST(ResultsByThreads, are_made_in_one_launch) {
  const std::string text = text_of_results(program_of({.op = "avgpool", .sizes = {2, 9, 11, 5, 3, 2, 1}}));
  EXPECT_EQ(text.find("x_padded"), std::string::npos) << text;
  EXPECT_NE(text.find("avgpool_acc = T.alloc_buffer((2, 5, 5, 6), scope=\"local\")"), std::string::npos)
      << text;
}

/// Few results of many steps are shared by threads, many are not.
TEST(ResultsByThreads, of_many_steps_are_shared_where_they_are_few) {
  const auto sums = [](std::int64_t channels) {
    return program_of({.op = "global_avgpool", .sizes = {1, 16, 16, channels}, .layout = "nhwc"});
  };
  EXPECT_NE(text_of_results(sums(64)).find("threadIdx.y"), std::string::npos);
  EXPECT_EQ(text_of_results(sums(65536)).find("threadIdx.y"), std::string::npos);
  for (const Function& program :
       {program_of({.op = "global_avgpool", .sizes = {2, 9, 11, 13}, .layout = "nhwc"}),
        program_of({.op = "gemm", .sizes = {5, 80, 7}}), program_of({.op = "scan", .sizes = {3, 29, 70}})})
    expect_right_samples(program, 3);
}

Function sums_of_columns(std::int64_t rows, std::int64_t columns) {
  return arith::load_program(fmt::format(R"(@T.prim_func
def main(A: T.Buffer(({0}, {1}), "float32"), S: T.Buffer(({1},), "float32")):
    for j, i in T.grid({1}, {0}):
        with T.block("S"):
            v, r = T.axis.remap("SR", [j, i])
            with T.init():
                S[v] = T.float32(0)
            S[v] = S[v] + A[r, v]
)",
                                         rows, columns),
                             "columns.tir")
      .functions[0];
}

/// A few results of very many steps are summed in parts, so that every core has some.
TEST(ResultsByThreads, of_very_many_steps_are_summed_in_parts) {
  EXPECT_EQ(count_of(kernels_of(sums_of_columns(65536, 1024)), "__global__"), 2);
  EXPECT_EQ(count_of(kernels_of(sums_of_columns(64, 65536)), "__global__"), 1);
  expect_right_samples(sums_of_columns(1536, 5), 4);
  expect_right_samples(arith::load_program(R"(@T.prim_func
def main(A: T.Buffer((20, 64), "float32"), S: T.Buffer((1,), "float32")):
    for i, j in T.grid(20, 64):
        with T.block("S"):
            v, w = T.axis.remap("RR", [i, j])
            with T.init():
                S[0] = T.float32(0)
            S[0] = S[0] + A[v, w]
)",
                                           "all.tir")
                           .functions[0],
                       4);
}

/// What one launch has of threads does not count for another.
TEST(ResultsByThreads, have_the_threads_of_their_own_launch) {
  const Function made = by_the_model(sums_of_columns(65536, 1024));
  for (const limits::Bound& bound : limits::bounds_of(lower::limits_of(made, newest_gpu()), newest_gpu()))
    if (bound.name == "threads in a block") {
      EXPECT_EQ(constant_int(bound.taken), 256);
    }
}

/// Whatever a block stores, and whatever it goes through for that.
TEST(BlocksByThreads, have_a_thread_for_each_instance) {
  expect_right_samples(arith::load_program(R"(@T.prim_func
def main(A: T.Buffer((7, 9), "float32"), C: T.Buffer((7, 9), "float32"), D: T.Buffer((9, 7), "float32")):
    for i, j in T.grid(7, 9):
        with T.block("C"):
            v, w = T.axis.remap("SS", [i, j])
            C[v, w] = A[v, w] * T.float32(2)
            D[w, v] = A[v, w]
)",
                                           "two.tir")
                           .functions[0],
                       3);
}

}  // namespace

}  // namespace ardea::rules
