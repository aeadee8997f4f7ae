#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "ardea/arith/load.h"
#include "ardea/ir/print.h"
#include "tests/gpu_rules/workloads.h"
#include "tests/support/sampled.h"

/// Stages that make each element for itself, on GPUs.

namespace ardea::rules {

namespace {

std::string text_of_elements(const ops::Workload& wanted) { return print(by_the_model(program_of(wanted))); }

/// The widest access that a thread has, of the widest type.
TEST(ElementsByThreads, are_vectors_of_sixteen_bytes) {
  EXPECT_NE(text_of_elements({.op = "relu", .sizes = {4096, 4096}}).find("T.vectorized(4)"),
            std::string::npos);
  EXPECT_NE(text_of_elements({.op = "relu", .sizes = {4096, 4096}, .in = {float16}}).find("T.vectorized(8)"),
            std::string::npos);
}

/// Of large arrays what whole vectors leave over is a launch of its own, so that no other vector is guarded
/// lane by lane; of small ones no vectors are made that leave something over.
TEST(ElementsByThreads, guard_no_lanes) {
  const std::string large = text_of_elements({.op = "relu", .sizes = {4097, 4099}});
  EXPECT_NE(large.find("T.vectorized(4)"), std::string::npos);
  EXPECT_NE(large.find("T.thread_binding(3, thread=\"threadIdx.x\")"), std::string::npos);
  EXPECT_NE(text_of_elements({.op = "relu", .sizes = {33, 19}}).find("T.vectorized(1)"), std::string::npos);
}

Function doubled(const std::vector<std::int64_t>& shape) {
  std::vector<std::string> loops, iterators;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    loops.push_back(fmt::format("i{}", i));
    iterators.push_back(fmt::format("v{}", i));
  }
  const std::string array = fmt::format("T.Buffer(({}), \"float32\")", fmt::join(shape, ", "));
  const std::string element = fmt::format("{}", fmt::join(iterators, ", "));
  return arith::load_program(fmt::format(R"(@T.prim_func
def main(A: {0}, C: {0}):
    for {1} in T.grid({2}):
        with T.block("C"):
            {3} = T.axis.remap("{4}", [{1}])
            C[{3}] = A[{3}] * T.float32(2)
)",
                                         array, fmt::join(loops, ", "), fmt::join(shape, ", "), element,
                                         std::string(shape.size(), 'S')),
                             "doubled.tir")
      .functions[0];
}

/// Whatever the axes are that make one, threads are known to meet nowhere, and all numbers have a program.
TEST(ElementsByThreads, of_many_axes_meet_nowhere) {
  for (const std::vector<std::int64_t>& shape : test::sampled<std::vector<std::int64_t>>(
           2, {{2, 13, 8}, {11, 4, 6}, {6, 4, 3, 11}, {3, 11, 12, 3}, {4, 4, 17, 7, 2}})) {
    SCOPED_TRACE(fmt::format("{}", fmt::join(shape, ", ")));
    expect_right_samples(doubled(shape), 4);
  }
}

}  // namespace

}  // namespace ardea::rules
