#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "ardea/search/strategy.h"
#include "ardea/space/parse.h"
#include "tests/search/examples.h"

/// Sketches are niches of `cga`: one that a model takes for the best does not starve the others.

namespace ardea::search {
namespace {

using space::Choice;
using testing::Space;

constexpr std::size_t sketches = 10, deceptive = 2, best = 7, trials = 64, batch = 8;
constexpr double ceiling = 0.88;

/// Ten sketches of the same knobs, 32,768 points each.
Space alike_sketches() {
  Space space;
  std::string text;
  for (const char* knob : {"a", "b", "c", "d", "e"})
    text += std::string("knob ") + knob + " in {1, 2, 4, 8, 16, 32, 64, 128}\n";
  for (std::size_t s = 0; s < sketches; ++s) space.add(space::parse(text));
  return space;
}

/// Squared distance from a point with this value of all knobs, in doublings.
double far_from(double doublings, const Choice& choice) {
  double sum = 0;
  for (const std::int64_t value : choice.point)
    sum += std::pow(std::log2(static_cast<double>(value)) - doublings, 2);
  return sum;
}

/// Beside the best point of all. One sketch is fast almost everywhere, and nowhere above its ceiling; another
/// has few points that are faster, and most that are drawn of it are slow. The rest are behind both.
double speed_of(const Choice& choice) {
  if (choice.sketch == deceptive) return ceiling * std::exp(-0.01 * far_from(3, choice));
  if (choice.sketch == best) return std::exp(-0.06 * far_from(5, choice));
  return 0.5 * std::exp(-0.03 * far_from(4, choice));
}

/// Orders the points of each sketch as they are, and never believes that the best one is that fast.
class DeceivedModel : public cost::Model {
 public:
  void learn(const std::vector<cost::Known>&) override {}
  bool is_trained() const override { return true; }
  std::vector<double> importance(std::size_t) const override { return std::vector<double>(5, 0.2); }
  std::vector<cost::Prediction> predict(const std::vector<Choice>& choices) const override {
    std::vector<cost::Prediction> all;
    for (const Choice& choice : choices)
      all.push_back({.score = std::log(speed_of(choice) * (choice.sketch == best ? 0.6 : 1))});
    return all;
  }
};

struct Found {
  double speed = 0;
  std::map<std::size_t, int> trials_of;  ///< a sketch
  std::vector<Choice> asked;
};

Found search(const Space& space, std::uint64_t seed) {
  const DeceivedModel model;
  const auto strategy = method("cga").make({.sketches = space.sketches(), .seed = seed, .model = &model});
  Found found;
  while (found.asked.size() < trials)
    for (const Choice& choice : strategy->ask(batch)) {
      found.asked.push_back(choice);
      ++found.trials_of[choice.sketch];
      found.speed = std::max(found.speed, speed_of(choice));
      strategy->tell(testing::timed(choice, 1e-3 / speed_of(choice)));
    }
  return found;
}

TEST(Niches, find_what_is_best_beside_a_sketch_that_is_better_at_first) {
  const Space space = alike_sketches();
  constexpr std::uint64_t seeds = 10;
  int past_the_ceiling = 0;
  std::string told;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Found found = search(space, seed);
    past_the_ceiling += found.speed > ceiling ? 1 : 0;
    told += fmt::format("seed {}: {:.3f}, {} trials of the sketch that deceives, {} of the best\n", seed,
                        found.speed, found.trials_of[deceptive], found.trials_of[best]);
  }
  EXPECT_GE(past_the_ceiling, 9) << told;
}

/// How many of 20 points, all of them the best predicted, are of the sketch that is predicted to be fastest.
std::size_t of_the_fastest(std::size_t of_sketches, const std::map<std::string, double>& options) {
  const Space space = alike_sketches();
  std::vector<const space::Solver*> some = space.sketches();
  some.resize(of_sketches);
  const DeceivedModel model;
  Setting setting{.sketches = some, .seed = 4, .model = &model, .options = options};
  setting.options["greedy"] = 1;
  const auto strategy = method("cga").make(setting);
  const Choice known = strategy->ask(1).front();
  strategy->tell(testing::timed(known, 1e-3 / speed_of(known)));
  const std::vector<Choice> asked = strategy->ask(20);
  EXPECT_EQ(asked.size(), 20U);
  const std::size_t fastest = std::min(deceptive, of_sketches - 1);
  return static_cast<std::size_t>(
      std::count_if(asked.begin(), asked.end(), [&](const Choice& c) { return c.sketch == fastest; }));
}

TEST(Niches, leave_half_of_the_best_predicted_to_other_sketches) {
  EXPECT_EQ(of_the_fastest(10, {}), 10U);
  EXPECT_EQ(of_the_fastest(10, {{"crowd", 0.3}}), 6U);
  EXPECT_EQ(of_the_fastest(10, {{"crowd", 1}}), 20U);
  EXPECT_EQ(of_the_fastest(1, {}), 20U);
}

}  // namespace
}  // namespace ardea::search
