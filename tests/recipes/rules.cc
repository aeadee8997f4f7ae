#include "ardea/rules/rule.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ardea/ir/equal.h"
#include "ardea/lower/pipeline.h"
#include "ardea/recipes/recipe.h"
#include "ardea/rules/program_space.h"
#include "tests/recipes/workloads.h"

/// What rules make by the model is what recipes made.

namespace ardea::test {

namespace {

/// The recipes of which all is in rules.
const std::vector<std::string>& in_rules() {
  static const std::vector<std::string> all = {"rows", "elementwise", "dots", "skinny"};
  return all;
}

/// Rows of one number: the rules also put the last stage in vectors.
bool is_better(const ops::Workload& workload) {
  return workload.op == "softmax" && workload.sizes.back() == 1 && workload.sizes.front() > 1;
}

class RulesAndRecipes : public testing::TestWithParam<ops::Workload> {};

TEST_P(RulesAndRecipes, make_the_same_programs) {
  if (is_better(GetParam())) GTEST_SKIP() << "the rules do more";
  bool is_compared = false;
  for (const char* name : {"neoverse-v1", "avx2", "sapphirerapids", "generic-x86_64"}) {
    const target::Target target = target::find(name);
    const recipes::Recipe* recipe = recipes::find_recipe(GetParam(), target);
    if (recipe == nullptr ||
        std::find(in_rules().begin(), in_rules().end(), recipe->name) == in_rules().end())
      continue;
    is_compared = true;
    const Function program = ops::create_function(GetParam());
    schedule::Schedule by_hand(program);
    recipe->apply(by_hand, GetParam(), target);
    const auto by_rules = rules::model_schedule(program, target, rules::rules_for(target));
    ASSERT_TRUE(by_rules) << name;
    EXPECT_EQ(first_difference(lower::lower_unpacked(by_hand.program(), target),
                               lower::lower(by_rules->program(), target)),
              "")
        << name;
  }
  if (!is_compared) GTEST_SKIP() << "no recipe of these serves it";
}

INSTANTIATE_TEST_SUITE_P(Workloads, RulesAndRecipes, testing::ValuesIn(recipe_workloads()), line_of);

}  // namespace

}  // namespace ardea::test
