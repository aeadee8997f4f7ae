#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "ardea/arith/load.h"
#include "ardea/ir/print.h"
#include "ardea/lower/pipeline.h"
#include "ardea/ops/registry.h"
#include "ardea/rules/program_space.h"
#include "tests/gpu_rules/workloads.h"
#include "tests/rules/answers.h"

/// Stages that make each element for itself, on GPUs.

namespace ardea::rules {

namespace {

std::string by_the_model(const ops::Workload& wanted) {
  const target::Target& target = gpus().back();
  return print(model_schedule(ops::create_function(ops::make_workload(wanted)), target, rules_for(target))
                   ->schedule.program());
}

/// The widest access that a thread has, of the widest type.
TEST(ElementsByThreads, are_vectors_of_sixteen_bytes) {
  EXPECT_NE(by_the_model({.op = "relu", .sizes = {4096, 4096}}).find("T.vectorized(4)"), std::string::npos);
  EXPECT_NE(by_the_model({.op = "relu", .sizes = {4096, 4096}, .in = {float16}}).find("T.vectorized(8)"),
            std::string::npos);
}

/// Of large arrays what whole vectors leave over is a launch of its own, so that no other vector is guarded
/// lane by lane; of small ones no vectors are made that leave something over.
TEST(ElementsByThreads, guard_no_lanes) {
  const std::string large = by_the_model({.op = "relu", .sizes = {4097, 4099}});
  EXPECT_NE(large.find("T.vectorized(4)"), std::string::npos);
  EXPECT_NE(large.find("T.thread_binding(3, thread=\"threadIdx.x\")"), std::string::npos);
  EXPECT_NE(by_the_model({.op = "relu", .sizes = {33, 19}}).find("T.vectorized(1)"), std::string::npos);
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
  const target::Target& target = gpus().back();
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{2, 13, 8}, {11, 4, 6}, {6, 4, 3, 11}, {3, 11, 12, 3}, {4, 4, 17, 7, 2}}) {
    SCOPED_TRACE(fmt::format("{}", fmt::join(shape, ", ")));
    const Function program = doubled(shape);
    const Answers answers(program);
    const ProgramSpace space = program_space(program, target, rules_for(target));
    EXPECT_TRUE(space.left_out.empty());
    for (const Choice& choice : space.sample(4, 3).choices)
      answers.expect_of(lower::lower(space.materialise(choice).program(), target));
  }
}

}  // namespace

}  // namespace ardea::rules
