#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "ardea/interp/interpreter.h"
#include "ardea/ir/print.h"
#include "ardea/lower/pipeline.h"
#include "ardea/measure/check.h"
#include "ardea/measure/inputs.h"
#include "ardea/rules/program_space.h"
#include "tests/gpu_rules/workloads.h"
#include "tests/lower/finished_kernels.h"
#include "tests/support/sampled.h"

/// What the rules for GPUs make of every operator, as threads in an order of nobody's choice: the model's
/// schedule, and samples of the space.

namespace ardea::rules {

namespace {

/// ARDEA_GPU_SAMPLES in the environment, `make gpu-samples`: so many, for every GPU.
std::optional<std::size_t> asked_samples() {
  const char* asked = std::getenv("ARDEA_GPU_SAMPLES");
  return asked == nullptr ? std::nullopt : std::optional<std::size_t>(std::strtoul(asked, nullptr, 10));
}

class GpuAnswers : public testing::TestWithParam<std::size_t> {
 protected:
  const GpuWorkload& workload() const { return gpu_workloads()[GetParam()]; }
};

/// Lowered, so that threads are threads; twice, in two orders, once with the memory of a block where the
/// kernel has it. Where nobody asked for samples one of both, by turns of `place`.
void expect_answers(const Function& made, const target::Target& target, std::size_t place,
                    const std::vector<interp::Argument>& given, const measure::Expectation& expected) {
  try {
    const Function lowered = lower::lower(made, target);
    const Function forms[] = {lowered, lower::joined(lower::split_kernels(lowered, target))};
    for (const std::uint64_t order : {0, 1}) {
      if (!asked_samples() && !test::takes_case(place + order, 2)) continue;
      const auto after = measure::copy_arguments(given);
      interp::run(forms[order], after, {.seed = order});
      EXPECT_TRUE(expected.compare(after).agrees()) << print(forms[order]);
    }
  } catch (const Error& error) {
    ADD_FAILURE() << error.what() << "\n" << print(made);
  }
}

TEST_P(GpuAnswers, are_those_of_the_program_as_it_is_written) {
  const Function& program = workload().program;
  const std::vector<interp::Argument> given = measure::make_arguments(program, {.seed = 7});
  const measure::Expectation expected(program, given, measure::Reference::interpreter);
  for (std::size_t i = 0; i < gpus().size(); ++i) {
    // Each operator for another GPU, where nobody asked for more.
    if (!asked_samples() && i != GetParam() % gpus().size()) continue;
    const target::Target& target = gpus()[i];
    SCOPED_TRACE(workload().words + " on " + target.name);
    const RuleSet rules = rules_for(target);
    const auto model = model_schedule(program, target, rules);
    ASSERT_TRUE(model);
    expect_answers(model->schedule.program(), target, GetParam(), given, expected);
    if (!asked_samples() && !test::takes_case(GetParam(), 11)) continue;
    const ProgramSpace space = program_space(program, target, rules);
    for (const LeftOut& out : space.left_out) ADD_FAILURE() << to_string(out.ways) << ": " << out.reason;
    EXPECT_EQ(space.not_followed, 0U);
    std::size_t place = GetParam();
    for (const Choice& choice : space.sample(asked_samples().value_or(3), 5).choices) {
      SCOPED_TRACE(print(space.materialise(choice).program()));
      expect_answers(space.materialise(choice).program(), target, ++place, given, expected);
    }
  }
}

std::vector<std::size_t> all_places() {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < gpu_workloads().size(); ++i) places.push_back(i);
  return places;
}

INSTANTIATE_TEST_SUITE_P(Of, GpuAnswers, testing::ValuesIn(all_places()),
                         [](const auto& info) { return name_of(gpu_workloads()[info.param]); });

}  // namespace

}  // namespace ardea::rules
