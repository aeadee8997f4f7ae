#include "ardea/search/ground.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "ardea/search/history.h"
#include "ardea/search/ranking.h"
#include "ardea/search/roulette.h"
#include "ardea/space/parse.h"
#include "tests/search/examples.h"

namespace ardea::search {
namespace {

using space::Choice;
using testing::Space;
using testing::timed;

Space of_sizes(const std::vector<int>& sizes) {
  Space space;
  for (const int size : sizes) space.add(space::parse(fmt::format("knob a in 1..{}", size)));
  return space;
}

TEST(Ground, draws_sketches_alike_and_points_uniformly) {
  const Space space = of_sizes({1000, 10});
  const Ground ground({.sketches = space.sketches()});
  Random random(1);
  std::map<Choice, int> times;
  int of_the_first = 0;
  for (int i = 0; i < 3000; ++i)
    for (const Choice& choice : ground.draw(2, random)) {
      ++times[choice];
      of_the_first += choice.sketch == 0 ? 1 : 0;
    }
  EXPECT_NEAR(of_the_first, 3000, 200);
  for (std::int64_t a = 1; a <= 10; ++a) EXPECT_NEAR((times[{1, {a}}]), 300, 80) << a;
}

TEST(Ground, gives_the_share_of_an_exhausted_sketch_to_the_others) {
  const Space space = of_sizes({40, 3});
  Ground ground({.sketches = space.sketches()});
  Random random(2);
  for (const auto shares : {Ground::Shares::by_chance, Ground::Shares::even}) {
    const std::vector<Choice> drawn = ground.draw(30, random, shares);
    EXPECT_EQ(drawn.size(), 30);
    EXPECT_EQ(std::count_if(drawn.begin(), drawn.end(), [](const Choice& c) { return c.sketch == 1; }), 3);
  }
  EXPECT_EQ(ground.draw(100, random).size(), 43);
  ground.mark({1, {2}});
  EXPECT_EQ(ground.draw(100, random).size(), 42);
}

TEST(Ground, draws_even_shares_by_weight) {
  const Space space = of_sizes({1000, 1000, 1000});
  const Ground ground({.sketches = space.sketches()});
  Random random(3);
  std::vector<int> sums(3, 0);
  for (int i = 0; i < 200; ++i) {
    std::vector<int> of_each(3, 0);
    for (const Choice& choice : ground.draw(10, random, Ground::Shares::even, {0.5, 0.37, 0.13}))
      ++of_each[choice.sketch];
    EXPECT_EQ(of_each[0], 5);
    EXPECT_TRUE(of_each[1] == 3 || of_each[1] == 4) << of_each[1];
    for (std::size_t s = 0; s < 3; ++s) sums[s] += of_each[s];
  }
  EXPECT_NEAR(sums[1], 740, 40);
}

TEST(Ground, draws_from_the_few_points_that_constraints_leave_of_many) {
  // Far more points than can be gone through, of which a question leaves four.
  Space space;
  const std::string text =
      "knob a in 1..1000 knob b in 1..1000 knob c in 1..1000 define s = a + b + c require r: s >= 4";
  space.add(space::parse(text));
  space.add(space::parse(text), testing::by_walks());
  ASSERT_NE(space.solvers[0]->tree(), nullptr);
  const space::System& system = space.solvers[0]->system();
  const std::vector<space::Constraint> few = {
      {"sum", "", {}, space::Linear{{{1, system.get("s")}}, 0, space::Relation::le, 5}},
      {"a", "", {}, space::Linear{{{1, system.get("a")}}, 0, space::Relation::le, 2}}};
  Ground ground({.sketches = space.sketches()});
  ground.open({few, few});
  Random random(4);
  std::vector<Choice> drawn = ground.draw(100, random);
  std::sort(drawn.begin(), drawn.end());
  std::vector<Choice> all;
  for (std::size_t s = 0; s < 2; ++s)
    for (std::int64_t a = 1; a <= 2; ++a)
      for (std::int64_t b = 1; b <= 3; ++b)
        for (std::int64_t c = 1; c <= 3; ++c)
          if (a + b + c >= 4 && a + b + c <= 5) all.push_back({s, {a, b, c, a + b + c}});
  EXPECT_EQ(drawn, all);
}

TEST(History, keeps_the_later_of_two_results_and_orders_by_speed) {
  const Space space = of_sizes({9, 9});
  const Ground ground({.sketches = space.sketches()});
  History history;
  EXPECT_EQ(history.best_score(), std::nullopt);
  history.add(ground, timed({0, {1}}, 3));
  history.add(ground, timed({0, {2}}, 2));
  history.add(ground, timed({1, {1}}, 2));
  history.add(ground, {{1, {2}}, TrialOutcome::crashed, 0.1});
  EXPECT_EQ(history.best(2), (std::vector<Choice>{{0, {2}}, {1, {1}}}));
  history.add(ground, timed({0, {1}}, 1));
  history.add(ground, {{0, {2}}, TrialOutcome::wrong_answer, 0});
  EXPECT_EQ(history.best(9), (std::vector<Choice>{{0, {1}}, {1, {1}}}));
  EXPECT_EQ(history.size(), 4);
  EXPECT_EQ(history.told_of(1), 2);
  EXPECT_DOUBLE_EQ(*history.best_score(1), std::log(0.5));
}

TEST(Shares, fall_with_the_trials_of_a_sketch_that_stays_behind) {
  const Space space = of_sizes({99, 99, 99, 99});
  const Ground ground({.sketches = space.sketches()});
  History history;
  EXPECT_EQ(shares_by(history, 4, 8), (std::vector<double>{1, 1, 1, 1}));
  // The first is the fastest, the second half as fast, the third always fails, the fourth is not tried.
  std::vector<std::vector<double>> shares;
  for (std::int64_t i = 1; i <= 64; ++i) {
    history.add(ground, timed({0, {i}}, 1));
    history.add(ground, timed({1, {i}}, 2));
    history.add(ground, {{2, {i}}, TrialOutcome::compile_failed, 0});
    shares.push_back(shares_by(history, 4, 8));
    EXPECT_EQ(shares.back()[0], 1);
    EXPECT_EQ(shares.back()[3], 1);
  }
  EXPECT_NEAR(shares[0][1], std::pow(0.5, 1.0 / 8), 1e-12);  // one bad point costs little,
  EXPECT_NEAR(shares[7][1], 0.5, 1e-12);                     // eight cost half,
  EXPECT_GT(shares[63][1], 0.01);                            // and nothing is ever lost for good
  EXPECT_LT(shares[63][1], 0.03);
  EXPECT_LT(shares[7][2], shares[7][1]);
}

TEST(Roulette, is_as_likely_as_its_weights) {
  Random random(5);
  std::vector<int> times(4, 0);
  for (int i = 0; i < 6000; ++i) ++times[roulette({1, 0, 2, 3}, random)];
  EXPECT_NEAR(times[0], 1000, 150);
  EXPECT_EQ(times[1], 0);
  EXPECT_NEAR(times[2], 2000, 200);
  std::vector<int> alike(2, 0);
  for (int i = 0; i < 1000; ++i) ++alike[roulette({0, 0}, random)];
  EXPECT_NEAR(alike[0], 500, 100);
  const std::vector<double> weights = weights_of({std::log(2.0), std::log(4.0)}, 0.5);
  EXPECT_NEAR(weights[0], 0.25, 1e-12);
  EXPECT_EQ(weights[1], 1);
}

class FixedModel : public cost::Model {
 public:
  mutable std::size_t predicted = 0;
  void learn(const std::vector<cost::Known>&) override {}
  bool is_trained() const override { return true; }
  std::vector<double> importance(std::size_t) const override { return {1}; }
  std::vector<cost::Prediction> predict(const std::vector<Choice>& choices) const override {
    std::vector<cost::Prediction> all;
    for (const Choice& choice : choices) {
      ++predicted;
      const std::int64_t a = choice.point[0];
      all.push_back({.score = a == 9 ? NAN : static_cast<double>(a), .feasible = a == 8 ? 0.01 : 1});
    }
    return all;
  }
};

TEST(Ranking, predicts_each_point_once_and_counts_that_it_may_fail) {
  const FixedModel model;
  Ranking ranking(model);
  std::vector<Choice> choices;
  for (const std::int64_t a : {5, 9, 8, 7, 5}) choices.push_back({0, {a}});
  // 8 is worth 8 + ln(0.01), a prediction that is no number is worth nothing.
  EXPECT_EQ(ranking.best(choices, 9), (std::vector<Choice>{{0, {7}}, {0, {5}}, {0, {8}}, {0, {9}}}));
  EXPECT_EQ(ranking.best(choices, 1), (std::vector<Choice>{{0, {7}}}));
  EXPECT_EQ(model.predicted, 4);
  EXPECT_EQ(ranking.seen().size(), 4);
}

}  // namespace
}  // namespace ardea::search
