#include <gtest/gtest.h>

#include "ardea/arith/verify.h"
#include "ardea/build/build.h"
#include "ardea/ir/print.h"
#include "ardea/measure/check.h"
#include "ardea/measure/inputs.h"
#include "tests/random/random_program.h"
#include "tests/schedule/random_steps.h"

/// Random programs under random schedules: what is accepted keeps the answers, what is refused says why.

namespace ardea::schedule {
namespace {

void check_seed(std::uint64_t seed, StepCounts& counts) {
  Random random(seed);
  random_programs::RandomProgramOptions options;
  options.floats = random_programs::FloatUse::smooth;
  options.transformed_loops = seed % 3 == 0;
  options.most_stages = 3;
  options.largest_extent = 7;
  const Function original = random_programs::random_program(random, options);
  Schedule schedule(original);
  take_random_steps(schedule, random, 8, counts);
  const Function& program = schedule.program();
  SCOPED_TRACE(print(original) + print(schedule.trace()) + print(program));
  const std::vector<arith::Violation> violations = arith::verify(program);
  ASSERT_TRUE(violations.empty()) << violations[0].message;

  // Original program + trace = final program.
  Schedule again(original);
  again.replay(parse_steps(print(schedule.trace()), "trace"));
  EXPECT_EQ(print(again.program()), print(program));

  std::map<std::string, std::int64_t> sizes;
  for (const Var& v : shape_variables(original)) sizes[v.name()] = random.integer(1, 9);
  const auto before = measure::make_arguments(original, {.seed = seed, .sizes = sizes});
  const auto agree = [&](const std::vector<interp::Argument>& after, const char* how) {
    for (const measure::Comparison& c :
         measure::check(original, before, after, measure::Reference::interpreter).arguments)
      EXPECT_EQ(c.mismatches, 0) << how << ": " << c.argument << " at " << c.index << ": " << c.got
                                 << " instead of " << c.expected;
  };
  const auto interpreted = measure::copy_arguments(before);
  interp::run(program, interpreted);
  agree(interpreted, "interpreted");
  const auto compiled = measure::copy_arguments(before);
  std::vector<runtime::Value> values;
  for (const interp::Argument& argument : compiled)
    std::visit([&](const auto& value) { values.emplace_back(value); }, argument);
  build::compile(program, target::host()).call(values);
  agree(compiled, "compiled");
}

TEST(RandomSchedules, keep_the_answers_of_random_programs) {
  StepCounts counts;
  for (std::uint64_t seed = 1; seed <= 60 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    try {
      check_seed(seed, counts);
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
    }
  }
  for (const auto& [name, count] : counts) {
    std::printf("%-12s applied %4ld refused %4ld\n", name.c_str(), static_cast<long>(count.applied),
                static_cast<long>(count.refused));
    EXPECT_GT(count.applied, 0) << name;
  }
}

}  // namespace
}  // namespace ardea::schedule
