#include <gtest/gtest.h>

#include "ardea/ir/print.h"
#include "ardea/lower/limits_of.h"
#include "ardea/ops/registry.h"
#include "ardea/rules/program_space.h"
#include "ardea/schedule/schedule.h"
#include "tests/limits/found.h"
#include "tests/random/random_program.h"
#include "tests/schedule/campaign/operator_chain.h"
#include "tests/schedule/campaign/product_program.h"
#include "tests/schedule/campaign/random_steps.h"
#include "tests/schedule/campaign/row_chain.h"
#include "tests/schedule/campaign/window_chain.h"
#include "tests/support/sampled.h"

namespace ardea::limits {

namespace {

/// Its blind spots: the generators' own (vector code is left out, since its lanes are no loop's), and
/// thread-bound loops, which steps seldom make and whose extents are compared as a set.
Function random_scheduled(std::uint64_t seed) {
  Random random(seed);
  const auto program = [&]() -> Function {
    switch (seed % 5) {
      case 0: return schedule::operator_chain(random);
      case 1: return schedule::window_chain(random);
      case 2: return schedule::row_chain(random);
      case 3: return schedule::product_program(random);
      default:
        return random_programs::random_program(
            random,
            {.most_stages = 3, .largest_extent = 7, .transformed_loops = false, .vector_code = false});
    }
  };
  const Function original = program();
  schedule::Schedule s(original);
  schedule::StepCounts counts;
  schedule::StepJudge judge(original, seed);
  take_random_steps(s, random, 17, /*mostly_order=*/false, judge, counts);
  return s.program();
}

/// What lowering refuses has no other side.
std::string wrong_prediction(const Function& f, const target::Target& target, Random& random) {
  Numbers numbers;
  for (const Var& v : shape_variables(f)) numbers[v] = random.integer(1, 9);
  Found found;
  try {
    found = found_by_lowering(f, target, numbers);
  } catch (const Error&) {
    return "";
  }
  return difference(lower::limits_of(f, target), found, numbers);
}

TEST(Limits, of_random_schedules_are_what_lowering_finds) {
  const char* targets[] = {"neoverse-n1", "avx2", "skylake-avx512"};
  const std::size_t seeds = test::sampled_count(2, 300);
  std::size_t with_memory = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const Function f = random_scheduled(seed);
    Random random(seed);
    const target::Target target = target::find(targets[seed % 3]);
    const std::string wrong = wrong_prediction(f, target, random);
    EXPECT_EQ(wrong, "") << "seed " << seed << "\n" << (wrong.empty() ? "" : print(f));
    if (wrong.empty()) with_memory += lower::limits_of(f, target).live_bytes.empty() ? 0 : 1;
  }
  EXPECT_GE(with_memory, seeds / 3);
}

TEST(Limits, of_model_schedules_are_what_lowering_finds) {
  const std::vector<ops::Workload> workloads = {
      ops::make_workload({.op = "gemm", .sizes = {128, 96, 80}}),
      ops::make_workload({.op = "gemm", .sizes = {47, 35, 130}}),
      ops::make_workload({.op = "gemm", .sizes = {64, 64, 64}, .in = {bfloat16}, .acc = float32}),
      ops::make_workload({.op = "gemm", .sizes = {64, 48, 96}, .in = {uint8, int8}, .acc = int32}),
      ops::make_workload({.op = "c2d", .sizes = {1, 14, 14, 16, 32, 3, 3, 1, 1, 1}}),
      ops::make_workload({.op = "c2d", .sizes = {1, 15, 13, 8, 12, 3, 3, 2, 1, 1}, .layout = "nhwc"}),
      ops::make_workload({.op = "softmax", .sizes = {33, 100}}),
  };
  for (const char* name : {"neoverse-v1", "avx2", "skylake-avx512", "sapphirerapids"}) {
    const target::Target target = target::find(name);
    for (const ops::Workload& workload : workloads) {
      const auto made =
          rules::model_schedule(ops::create_function(workload), target, rules::rules_for(target));
      if (!made) continue;
      const Function& program = made->schedule.program();
      const Limits predicted = lower::limits_of(program, target);
      EXPECT_EQ(difference(predicted, found_by_lowering(program, target)), "")
          << name << ": " << ops::to_string(workload);
      // Everything fits: a space would not have left these points out.
      for (const Bound& bound : bounds_of(predicted, target))
        EXPECT_LE(value_at(bound.taken, {}), bound.available.value_or(INT64_MAX))
            << name << ": " << ops::to_string(workload) << " " << bound.name;
    }
  }
}

}  // namespace

}  // namespace ardea::limits
