#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "ardea/ir/equal.h"
#include "ardea/lower/pipeline.h"
#include "ardea/recipes/recipe.h"
#include "ardea/rules/model/register_tiles.h"
#include "ardea/rules/program_space.h"
#include "ardea/support/ceil_div.h"
#include "tests/recipes/workloads.h"

/// The schedule that the rules' model chooses is the recipe's.

namespace ardea::test {

namespace {

std::vector<ops::Workload> convolutions() {
  const std::set<std::string> served = {"c1d", "c2d", "c3d", "dil", "depthwise"};
  std::vector<ops::Workload> all = recipe_workloads();
  std::erase_if(all, [&](const ops::Workload& w) { return !served.contains(w.op); });
  return all;
}

/// All targets with ARDEA_RECIPES=all, else one after the other of them takes the next workload.
std::vector<std::string> targets_for(const ops::Workload& workload) {
  const std::vector<std::string> all = {"neoverse-v1", "avx2", "sapphirerapids", "generic-x86_64"};
  const char* const asked = std::getenv("ARDEA_RECIPES");
  if (asked != nullptr && std::string(asked) == "all") return all;
  const auto workloads = convolutions();
  const auto at = std::find(workloads.begin(), workloads.end(), workload) - workloads.begin();
  return {all[static_cast<std::size_t>(at) % all.size()]};
}

/// Lanes that lie side by side are fewer than those of the recipe's tile, which then computes some that
/// nobody wants: the rules' tile is as wide as what there is, and its weights need no panel.
bool is_narrow(const ops::Workload& w, const target::Target& target) {
  const bool channels = w.layout.back() == 'c';
  if (!channels && w.op != "depthwise") return false;
  const std::int64_t lanes = rules::lanes_of(target);
  const std::int64_t side_by_side = ops::size(w, !channels ? "w" : w.op == "depthwise" ? "c" : "co");
  return side_by_side < rules::choose_sum_tile(side_by_side, side_by_side, target).vectors * lanes ||
         side_by_side < 4 * lanes;
}

class Models : public testing::TestWithParam<ops::Workload> {};

TEST_P(Models, choose_what_the_recipe_does) {
  for (const std::string& name : targets_for(GetParam()))
    for (const int cores : {1, 4}) {
      target::Target target = target::find(name);
      target.cores = cores;
      if (is_narrow(GetParam(), target)) continue;
      SCOPED_TRACE(name + ", cores: " + std::to_string(cores));
      const Function program = ops::create_function(GetParam());
      schedule::Schedule by_hand(program);
      recipes::find_recipe(GetParam(), target)->apply(by_hand, GetParam(), target);
      const auto by_rules = rules::model_schedule(program, target, rules::rules_for(target));
      ASSERT_TRUE(by_rules);
      EXPECT_EQ(first_difference(lower::lower(by_hand.program(), target),
                                 lower::lower(by_rules->program(), target)),
                "");
    }
}

INSTANTIATE_TEST_SUITE_P(Convolutions, Models, testing::ValuesIn(convolutions()), line_of);

}  // namespace

}  // namespace ardea::test
