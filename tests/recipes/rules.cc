#include "ardea/rules/rule.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ardea/ir/equal.h"
#include "ardea/lower/pipeline.h"
#include "ardea/recipes/recipe.h"
#include "ardea/rules/analysis/windowed_sum.h"
#include "ardea/rules/model/register_tiles.h"
#include "ardea/rules/program_space.h"
#include "ardea/schedule/program/tree.h"
#include "tests/recipes/workloads.h"

/// What rules make by the model is what recipes made.

namespace ardea::test {

namespace {

/// The recipes of which all is in rules.
const std::vector<std::string>& in_rules() {
  static const std::vector<std::string> all = {"rows",
                                               "elementwise",
                                               "dots",
                                               "skinny",
                                               "conv_channels_first",
                                               "conv_channels_last",
                                               "depthwise",
                                               "gemm",
                                               "matmul_exp_matmul",
                                               "amx_gemm",
                                               "vnni_gemm",
                                               "mmla_gemm"};
  return all;
}

/// Rows of one number: the rules also put the last stage in vectors.
bool is_better(const ops::Workload& workload) {
  return workload.op == "softmax" && workload.sizes.back() == 1 && workload.sizes.front() > 1;
}

/// Fewer numbers lie side by side than the recipe's tile has lanes: that of the rules is as wide as what
/// there is, and its weights need no panel.
bool is_narrower(const Function& program, const target::Target& target) {
  const auto sum = rules::windowed_sum(program, {schedule::all_blocks(program).back().block().id});
  if (!sum) return false;
  const std::int64_t lanes = rules::lanes_of(target);
  if (sum->is_apart()) return sum->stage.extents[sum->stage.spatial - 1] < lanes;
  if (!sum->channels_last) return false;
  return sum->group < rules::choose_sum_tile(sum->axes.back().places, sum->group, target).vectors * lanes;
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
    const Function program = ops::create_function(GetParam());
    if (is_narrower(program, target)) continue;
    is_compared = true;
    schedule::Schedule by_hand(program);
    recipe->apply(by_hand, GetParam(), target);
    const auto by_rules = rules::model_schedule(program, target, rules::rules_for(target));
    ASSERT_TRUE(by_rules) << name;
    EXPECT_EQ(first_difference(lower::lower_unpacked(by_hand.program(), target),
                               lower::lower_unpacked(by_rules->schedule.program(), target)),
              "")
        << name;
  }
  // With weights packed ahead.
  for (const char* name : {"neoverse-v1", "sapphirerapids"}) {
    const target::Target target = target::find(name);
    const recipes::Recipe* recipe = recipes::find_prepacking_recipe(GetParam(), target);
    const Function program = ops::create_function(GetParam());
    if (recipe == nullptr || is_narrower(program, target)) continue;
    schedule::Schedule by_hand(program);
    recipe->apply_prepacked(by_hand, GetParam(), target);
    const auto by_rules =
        rules::model_schedule(program, target, rules::rules_for(target), {.weights_ahead = true});
    ASSERT_TRUE(by_rules) << name;
    EXPECT_EQ(first_difference(lower::lower_unpacked(by_hand.program(), target),
                               lower::lower_unpacked(by_rules->schedule.program(), target)),
              "")
        << name << " prepacked";
  }
  if (!is_compared) GTEST_SKIP() << "no recipe of these serves it";
}

INSTANTIATE_TEST_SUITE_P(Workloads, RulesAndRecipes, testing::ValuesIn(recipe_workloads()), line_of);

}  // namespace

}  // namespace ardea::test
