#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "ardea/search/strategy.h"
#include "ardea/space/parse.h"
#include "ardea/support/error.h"
#include "tests/search/examples.h"

namespace ardea::search {
namespace {

using space::Choice;
using testing::Space;

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Methods, are_found_by_their_names) {
  std::vector<std::string> names;
  for (const Method& each : methods()) names.push_back(each.name);
  EXPECT_EQ(names, (std::vector<std::string>{"annealing", "cga", "evolution", "ga", "grid", "random"}));
  EXPECT_EQ(method("cga").name, "cga");
  EXPECT_EQ(
      refusal([] { method("anealing"); }),
      "there is no method anealing; did you mean annealing?; there are: annealing, cga, evolution, ga, grid, "
      "random");
}

TEST(Methods, have_the_numbers_of_their_sources) {
  const auto number = [](const char* name, const char* option) {
    for (const Option& each : method(name).options)
      if (each.name == option) return each.value;
    return -1.0;
  };
  EXPECT_EQ(number("cga", "population"), 200);
  EXPECT_EQ(number("cga", "generations"), 5);
  EXPECT_EQ(number("cga", "greedy"), 0.6);
  EXPECT_EQ(number("cga", "history"), 32);
  EXPECT_EQ(number("ga", "population"), 100);
  EXPECT_EQ(number("ga", "elites"), 3);
  EXPECT_EQ(number("ga", "mutation"), 0.1);
  EXPECT_EQ(number("annealing", "chains"), 128);
  EXPECT_EQ(number("evolution", "population"), 512);
  EXPECT_EQ(number("evolution", "tile"), 0.9);
  for (const Method& each : methods())
    for (const Option& option : each.options) {
      EXPECT_LE(option.least, option.value) << each.name << " " << option.name;
      EXPECT_GE(option.most, option.value) << each.name << " " << option.name;
    }
}

TEST(Methods, refuse_options_that_they_do_not_have) {
  Space space;
  space.add(space::parse("knob a in 1..4"));
  const auto make = [&](const char* name, const char* option, double value) {
    Setting setting{.sketches = space.sketches()};
    setting.options[option] = value;
    return refusal([&] { method(name).make(setting); });
  };
  EXPECT_EQ(make("cga", "population", 50), "accepted");
  EXPECT_EQ(make("ga", "populaton", 50),
            "method ga has no option populaton; did you mean population?; its options: population, elites, "
            "mutation");
  EXPECT_EQ(make("random", "population", 50), "method random has no option population; its options: none");
  EXPECT_EQ(make("cga", "greedy", 1.5), "option greedy of method cga is 1.5; it must be from 0 to 1");
  EXPECT_EQ(make("cga", "greedy", NAN), "option greedy of method cga is nan; it must be from 0 to 1");
}

TEST(Methods, have_a_default_that_says_why) {
  EXPECT_EQ(default_method(64, 64).method->name, "grid");
  EXPECT_EQ(default_method(64, 64).why, "64 trials are enough for all 64 points of the space");
  EXPECT_EQ(default_method(64, 65).method->name, "cga");
  EXPECT_NE(default_method(64, 2.4e8).why.find("64 trials of 2.4e+08 points"), std::string::npos);
}

TEST(Grid, spreads_its_first_points_over_the_space) {
  Space space;
  space.add(space::parse("knob a in 0..31 knob b in 0..31"));
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto strategy = method("grid").make({.sketches = space.sketches(), .seed = seed});
    std::set<std::int64_t> quarters;
    for (const Choice& choice : strategy->ask(8)) quarters.insert(choice.point[0] / 8);
    EXPECT_EQ(quarters.size(), 4) << "seed " << seed;
    std::set<std::int64_t> cells;
    for (const Choice& choice : strategy->ask(56))
      cells.insert(choice.point[0] / 8 * 4 + choice.point[1] / 8);
    EXPECT_GE(cells.size(), 13) << "seed " << seed;
  }
}

TEST(Grid, takes_the_sketches_in_turn) {
  const Space space = testing::tiling_space(64);
  const auto strategy = method("grid").make({.sketches = space.sketches()});
  std::vector<int> of_each(3, 0);
  for (const Choice& choice : strategy->ask(30)) ++of_each[choice.sketch];
  EXPECT_EQ(of_each, (std::vector<int>{10, 10, 10}));
}

/// Says that the second sketch is far slower, whatever it is told, and how well it foretold things.
class MistakenModel : public cost::Model {
 public:
  explicit MistakenModel(std::optional<double> correlation) : correlation_(correlation) {}
  void learn(const std::vector<cost::Known>&) override {}
  bool is_trained() const override { return true; }
  std::vector<double> importance(std::size_t) const override { return {0.5, 0.5}; }
  std::optional<double> held_out_correlation() const override { return correlation_; }
  std::vector<cost::Prediction> predict(const std::vector<Choice>& choices) const override {
    std::vector<cost::Prediction> all;
    for (const Choice& choice : choices) all.push_back({.score = choice.sketch == 1 ? -9.0 : 0.0});
    return all;
  }

 private:
  std::optional<double> correlation_;
};

/// How many of 48 points are of the sketch that the model thinks little of, where it is `times` as slow.
int of_the_second_sketch(std::optional<double> correlation, double times) {
  Space space;
  for (int i = 0; i < 2; ++i) space.add(space::parse("knob a in 1..40 knob b in 1..40"));
  const MistakenModel model(correlation);
  const auto strategy = method("cga").make({.sketches = space.sketches(), .seed = 3, .model = &model});
  int count = 0;
  for (int round = 0; round < 3; ++round)
    for (const Choice& choice : strategy->ask(16)) {
      count += choice.sketch == 1 ? 1 : 0;
      strategy->tell(testing::timed(choice, choice.sketch == 1 ? times : 1));
    }
  return count;
}

TEST(Cga, tries_a_sketch_again_until_measurements_agree_with_the_model) {
  const int wrongly = of_the_second_sketch(std::nullopt, 1), rightly = of_the_second_sketch(std::nullopt, 20);
  EXPECT_GE(wrongly, 6);  // its share of what is not greedy, 18 points
  EXPECT_LE(rightly, wrongly - 3);
  EXPECT_GE(rightly, 1);
}

TEST(Cga, believes_a_model_as_far_as_it_has_foretold) {
  EXPECT_GE(of_the_second_sketch(0.0, 1), of_the_second_sketch(1.0, 1) + 8);
}

/// The mean, over seeds, of ln(least seconds / best found) after so many trials: 0 at the optimum.
double mean_regret(const std::string& name, const Space& space, double least, std::size_t trials,
                   bool has_model, const std::map<std::string, double>& options = {}) {
  constexpr int seeds = 12;
  double sum = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const auto seconds = [&](const Choice& choice) {
      return testing::tiling_seconds(space.solvers[choice.sketch]->system(), choice);
    };
    const auto model = testing::knowing_model(seconds, 0.25, 16, space);
    Setting setting{.sketches = space.sketches(), .seed = static_cast<std::uint64_t>(seed)};
    if (has_model) setting.model = model.get();
    setting.options = options;
    const auto strategy = method(name).make(setting);
    std::vector<cost::Known> known;
    double best = 1e9;
    while (known.size() < trials) {
      for (const Choice& choice : strategy->ask(16)) {
        known.push_back(testing::timed(choice, seconds(choice)));
        best = std::min(best, known.back().seconds);
        strategy->tell(known.back());
      }
      model->learn(known);
    }
    sum += std::log(best / least);
  }
  return sum / seeds;
}

class BeatsRandom : public ::testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() {
    space = std::make_unique<Space>(testing::tiling_space());
    least = testing::least_seconds(*space);
    by_chance = mean_regret("random", *space, least, 64, false);
    by_chance_of_many = mean_regret("random", *space, least, 256, false);
  }
  static void TearDownTestSuite() { space.reset(); }
  static std::unique_ptr<Space> space;
  static double least, by_chance, by_chance_of_many;
};
std::unique_ptr<Space> BeatsRandom::space;
double BeatsRandom::least, BeatsRandom::by_chance, BeatsRandom::by_chance_of_many;

INSTANTIATE_TEST_SUITE_P(Methods, BeatsRandom, ::testing::Values("annealing", "cga", "evolution"),
                         [](const auto& info) { return info.param; });

TEST_P(BeatsRandom, with_a_good_model_within_64_trials) {
  const double regret = mean_regret(GetParam(), *space, least, 64, true);
  EXPECT_LT(regret, by_chance / 2) << "by chance " << by_chance;
}

TEST_P(BeatsRandom, by_what_it_was_told_alone_within_256_trials) {
  const double regret = mean_regret(GetParam(), *space, least, 256, false);
  EXPECT_LT(regret, 0.75 * by_chance_of_many) << "by chance " << by_chance_of_many;
}

TEST_F(BeatsRandom, ga_by_generations_of_32_within_256_trials) {
  const double regret = mean_regret("ga", *space, least, 256, false, {{"population", 32}});
  EXPECT_LT(regret, 0.75 * by_chance_of_many) << "by chance " << by_chance_of_many;
}

}  // namespace
}  // namespace ardea::search
