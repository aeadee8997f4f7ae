#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "ardea/build/build.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/print.h"
#include "ardea/measure/check.h"
#include "ardea/measure/inputs.h"
#include "ardea/recipes/recipe.h"
#include "tests/recipes/workloads.h"

/// What a recipe makes computes what the operator says, here and on the targets that this machine is not.

namespace ardea::test {

namespace {

class Recipes : public testing::TestWithParam<ops::Workload> {};

std::optional<schedule::Schedule> scheduled(const ops::Workload& workload, const target::Target& target) {
  const recipes::Recipe* recipe = recipes::find_recipe(workload, target);
  if (!recipe) return {};
  schedule::Schedule s(ops::create_function(workload));
  recipe->apply(s, workload, target);
  return s;
}

/// The plain program is the reference, under the tolerance that follows from it.
void expect_agreement(const ops::Workload& workload, const Function& program,
                      const std::function<void(const std::vector<interp::Argument>&)>& run) {
  const Function plain = ops::create_function(workload);
  const auto before = measure::make_arguments(plain, {.seed = 7});
  const auto after = measure::copy_arguments(before);
  run(after);
  const bool is_small = measure::interpreter_work(plain, before) < 3e5;
  const measure::CheckReport report = measure::check(
      plain, before, after, is_small ? measure::Reference::interpreter : measure::Reference::compiled);
  EXPECT_TRUE(report.agrees()) << ops::to_string(workload) << "\n" << print(program);
}

TEST_P(Recipes, compute_what_the_operator_says_on_this_machine) {
  const target::Target host = target::host();
  const auto s = scheduled(GetParam(), host);
  if (!s) GTEST_SKIP() << "no recipe serves it";
  const runtime::Function compiled = build::compile(s->program(), host);
  expect_agreement(GetParam(), s->program(), [&](const std::vector<interp::Argument>& arguments) {
    std::vector<runtime::Value> values;
    for (const interp::Argument& argument : arguments) values.push_back(std::get<runtime::Array>(argument));
    compiled.call(values);
  });
}

/// The targets for a workload: one after the other of them takes the next, or all with ARDEA_RECIPES=all.
std::vector<std::string> other_targets(const ops::Workload& workload) {
  const std::vector<std::string> all = {"neoverse-v1", "avx2", "sapphirerapids", "generic-x86_64"};
  const char* const asked = std::getenv("ARDEA_RECIPES");
  if (asked != nullptr && std::string(asked) == "all") return all;
  const auto workloads = recipe_workloads();
  const auto at =
      static_cast<std::size_t>(std::find(workloads.begin(), workloads.end(), workload) - workloads.begin());
  return {all[at % all.size()]};
}

TEST_P(Recipes, compute_it_on_other_targets_by_interpreter) {
  for (const std::string& name : other_targets(GetParam())) {
    const auto s = scheduled(GetParam(), target::find(name));
    if (!s) continue;
    SCOPED_TRACE(name);
    expect_agreement(GetParam(), s->program(),
                     [&](const auto& arguments) { interp::run(s->program(), arguments); });
    EXPECT_NO_THROW(build::assembly(Module{{}, {s->program()}}, target::find(name)));
  }
}

/// Original program + trace = final program, from its text too.
TEST_P(Recipes, replay_from_their_trace) {
  const auto s = scheduled(GetParam(), target::host());
  if (!s) GTEST_SKIP() << "no recipe serves it";
  schedule::Schedule again(ops::create_function(GetParam()));
  again.replay(schedule::parse_steps(schedule::print(s->trace()), "trace"));
  EXPECT_TRUE(structurally_equal(again.program(), s->program())) << print(again.program());
}

INSTANTIATE_TEST_SUITE_P(Workloads, Recipes, testing::ValuesIn(recipe_workloads()), line_of);

}  // namespace

}  // namespace ardea::test
