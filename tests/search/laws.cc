#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "ardea/search/strategy.h"
#include "ardea/space/evaluate.h"
#include "ardea/space/parse.h"
#include "ardea/support/error.h"
#include "tests/search/examples.h"

/// The laws that every strategy keeps, each on many random spaces.

namespace ardea::search {
namespace {

using space::Choice;
using testing::random_space;
using testing::Space;
using testing::timed;

/// Any cost will do: one that looks random, but is the same for the same point.
double any_seconds(const Choice& choice) {
  std::uint64_t hash = choice.sketch + 7;
  for (const std::int64_t value : choice.point)
    hash = Random(hash ^ static_cast<std::uint64_t>(value)).next();
  return 1e-3 * (1 + Random(hash).real());
}

/// Asks and tells until nothing comes or so many came.
std::vector<Choice> search(Strategy& strategy, cost::Model* model, std::size_t batch, std::size_t most,
                           const Extra& extra = {}) {
  std::vector<Choice> asked;
  std::vector<cost::Known> known;
  while (asked.size() < most) {
    const std::vector<Choice> points = strategy.ask(std::min(batch, most - asked.size()), extra);
    if (points.empty()) break;
    for (const Choice& point : points) {
      asked.push_back(point);
      known.push_back(timed(point, any_seconds(point)));
      strategy.tell(known.back());
    }
    if (model) model->learn(known);
  }
  return asked;
}

class Laws : public ::testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Strategy> make(const Setting& setting) const { return method(GetParam()).make(setting); }
  /// Calls `body` with random spaces, by trees and by walks, with and without a model that is trained soon.
  template <class Body>
  void on_random_spaces(int count, Body&& body) const {
    for (int i = 0; i < count; ++i) {
      const std::uint64_t seed = 1000 + static_cast<std::uint64_t>(i);
      Random random(seed);
      const Space space = random_space(random, i % 2 == 1);
      const auto model = i % 4 < 2 ? testing::knowing_model(any_seconds, 0.1, 3, space) : nullptr;
      SCOPED_TRACE(fmt::format("{} on the space of seed {}, by {}, {} a model", GetParam(), seed,
                               i % 2 == 1 ? "walks" : "trees", model ? "with" : "without"));
      body(space, model.get(), random);
      if (HasFatalFailure()) return;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Methods, Laws, ::testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const Method& each : methods()) names.push_back(each.name);
                           return names;
                         }()),
                         [](const auto& info) { return info.param; });

TEST_P(Laws, asks_for_every_point_of_a_small_space_once_and_for_nothing_else) {
  on_random_spaces(40, [&](const Space& space, cost::Model* model, Random& random) {
    const auto strategy = make({.sketches = space.sketches(), .seed = random.next(), .model = model});
    const auto batch = static_cast<std::size_t>(random.integer(1, 40));
    std::vector<Choice> asked = search(*strategy, model, batch, 1000), all = space.all();
    for (const Choice& choice : asked)
      ASSERT_TRUE(space::is_solution(space.solvers[choice.sketch]->system(), choice.point));
    std::sort(asked.begin(), asked.end());
    ASSERT_EQ(std::adjacent_find(asked.begin(), asked.end()), asked.end()) << "a point came twice";
    std::sort(all.begin(), all.end());
    ASSERT_EQ(asked, all);
    ASSERT_TRUE(strategy->ask(3).empty());
  });
}

TEST_P(Laws, asks_the_same_for_the_same_seed_and_something_else_for_another) {
  const Space space = testing::tiling_space(64);
  const auto run = [&](std::uint64_t seed) {
    const auto model = testing::knowing_model(any_seconds, 0.1, 8, space);
    const auto strategy = make({.sketches = space.sketches(), .seed = seed, .model = model.get()});
    return search(*strategy, model.get(), 10, 50);
  };
  const std::vector<Choice> once = run(11);
  EXPECT_EQ(once.size(), 50);
  EXPECT_EQ(run(11), once);
  EXPECT_NE(run(12), once);
}

TEST_P(Laws, asks_the_same_on_any_number_of_threads) {
  for (std::uint64_t seed = 50; seed < 52; ++seed) {
    std::vector<std::vector<Choice>> runs;
    for (const int threads : {1, 3}) {
      Space space;
      space.add(testing::tiling_space(64).solvers[0]->system(), testing::by_walks(threads));
      const auto model = testing::knowing_model(any_seconds, 0.1, 8, space);
      const auto strategy = make({.sketches = space.sketches(), .seed = seed, .model = model.get()});
      runs.push_back(search(*strategy, model.get(), 12, 36));
    }
    ASSERT_EQ(runs[0].size(), 36);
    ASSERT_EQ(runs[0], runs[1]) << "seed " << seed;
  }
}

TEST_P(Laws, asks_for_the_first_points_first) {
  on_random_spaces(16, [&](const Space& space, cost::Model* model, Random& random) {
    const std::vector<Choice> all = space.all();
    std::vector<Choice> first;
    for (int i = 0; i < 3; ++i)
      if (const Choice& choice = random.pick(all);
          std::find(first.begin(), first.end(), choice) == first.end())
        first.push_back(choice);
    std::vector<Choice> given = first;
    given.push_back(first[0]);                                                        // twice,
    given.insert(given.begin(), Choice{space.solvers.size(), {}});                    // no sketch,
    given.insert(given.begin(), Choice{0, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}});  // and no point of one
    const auto strategy =
        make({.sketches = space.sketches(), .seed = random.next(), .first = given, .model = model});
    std::vector<Choice> asked;
    for (const std::size_t batch : {std::size_t{1}, std::size_t{2}, std::size_t{4}})
      for (const Choice& choice : strategy->ask(batch)) asked.push_back(choice);
    ASSERT_GE(asked.size(), first.size());
    asked.resize(first.size());
    ASSERT_EQ(asked, first);
  });
}

/// Of half of the knobs, half of the values.
Extra some_constraints(const Space& space, Random& random) {
  Extra extra(space.solvers.size());
  for (std::size_t s = 0; s < space.solvers.size(); ++s)
    for (const space::Var knob : space.solvers[s]->system().knobs()) {
      if (random.chance(0.5)) continue;
      std::vector<std::int64_t> kept;
      for (const std::int64_t value : space.solvers[s]->system()[knob].domain.values())
        if (random.chance(0.5)) kept.push_back(value);
      if (!kept.empty()) extra[s].push_back({"some", "", {}, space::Member{knob, space::Domain::of(kept)}});
    }
  return extra;
}

bool meets(const Extra& extra, const Choice& choice) {
  return std::all_of(extra[choice.sketch].begin(), extra[choice.sketch].end(),
                     [&](const space::Constraint& c) { return space::holds(c, choice.point); });
}

TEST_P(Laws, keeps_the_constraints_of_a_setting) {
  on_random_spaces(12, [&](const Space& space, cost::Model* model, Random& random) {
    const Extra extra = some_constraints(space, random);
    std::vector<Choice> all = space.all();
    std::erase_if(all, [&](const Choice& choice) { return !meets(extra, choice); });
    std::sort(all.begin(), all.end());
    const auto strategy =
        make({.sketches = space.sketches(), .seed = random.next(), .model = model, .extra = extra});
    std::vector<Choice> asked = search(*strategy, model, 9, 1000);
    std::sort(asked.begin(), asked.end());
    ASSERT_EQ(asked, all);
  });
}

TEST_P(Laws, keeps_the_constraints_of_a_question_and_forgets_them_after_it) {
  on_random_spaces(12, [&](const Space& space, cost::Model* model, Random& random) {
    const Extra extra = some_constraints(space, random);
    std::vector<Choice> all = space.all(), within = all;
    std::erase_if(within, [&](const Choice& choice) { return !meets(extra, choice); });
    const auto strategy = make({.sketches = space.sketches(),
                                .seed = random.next(),
                                .first = {all.front(), all.back()},
                                .model = model});
    std::vector<Choice> asked = search(*strategy, model, 9, 1000, extra);
    std::set<Choice> inside(asked.begin(), asked.end());
    ASSERT_EQ(inside, std::set<Choice>(within.begin(), within.end()));
    for (const Choice& choice : search(*strategy, model, 9, 1000)) asked.push_back(choice);
    std::sort(asked.begin(), asked.end());
    std::sort(all.begin(), all.end());
    ASSERT_EQ(asked, all);
  });
}

TEST_P(Laws, survives_every_outcome_and_results_that_nobody_asked_for) {
  on_random_spaces(16, [&](const Space& space, cost::Model* model, Random& random) {
    const std::vector<Choice> all = space.all();
    const auto strategy = make({.sketches = space.sketches(), .seed = random.next(), .model = model});
    std::set<Choice> known;
    std::vector<cost::Known> told;
    const auto tell = [&](const cost::Known& result) {
      told.push_back(result);
      strategy->tell(result);
    };
    const auto any_result = [&](const Choice& choice) {
      cost::Known result{choice, static_cast<TrialOutcome>(random.integer(0, 6)), any_seconds(choice)};
      if (random.chance(0.1)) result.seconds = random.pick(std::vector<double>{0, -1, NAN, INFINITY});
      return result;
    };
    for (int i = 0; i < 5; ++i) {
      const Choice& choice = random.pick(all);
      tell(any_result(choice));
      known.insert(choice);
    }
    // Of another space: a record whose sketch is gone, and points that are none.
    strategy->tell(timed({space.solvers.size() + 3, {1, 2}}, 1e-9));
    strategy->tell(timed({0, {}}, 1e-9));
    strategy->tell(timed({0, space::Point(all[0].point.size(), -1'000'000)}, 1e-9));
    for (int round = 0; round < 200; ++round) {
      const std::vector<Choice> points = strategy->ask(static_cast<std::size_t>(random.integer(1, 12)));
      if (points.empty()) break;
      for (const Choice& choice : points) {
        ASSERT_TRUE(known.insert(choice).second) << "asked for what was asked for or told";
        // Some are never told, and some twice.
        if (random.chance(0.8)) tell(any_result(choice));
        if (random.chance(0.1)) tell(any_result(choice));
      }
      if (model) model->learn(told);
    }
    ASSERT_EQ(known.size(), all.size());
  });
}

TEST_P(Laws, answers_where_there_is_nothing_to_choose) {
  Space space;
  space.add(space::parse("knob a in 3..3 define b = a * 2"));
  space.add(space::parse("knob a in 1..4 require never: a * a == 7"));
  space.add(space::parse(""));  // no knob at all: one point, the empty one
  for (const bool is_by_walks : {false, true}) {
    if (is_by_walks) {
      Space walks;
      for (const auto& solver : space.solvers) walks.add(solver->system(), testing::by_walks());
      space = std::move(walks);
    }
    const auto strategy = make({.sketches = space.sketches()});
    std::vector<Choice> asked = strategy->ask(10);
    std::sort(asked.begin(), asked.end());
    EXPECT_EQ(asked, (std::vector<Choice>{{0, {3, 6}}, {2, {}}}));
    for (const Choice& choice : asked) strategy->tell(timed(choice, 1));
    EXPECT_TRUE(strategy->ask(10).empty());
  }
}

TEST_P(Laws, refuses_a_setting_that_it_cannot_use) {
  EXPECT_THROW(make({}), Error);
  Space space;
  space.add(space::parse("knob a in 1..4"));
  EXPECT_THROW(make({.sketches = space.sketches(), .extra = Extra(2)}), Error);
  const auto strategy = make({.sketches = space.sketches()});
  EXPECT_THROW(strategy->ask(1, Extra(2)), Error);
  EXPECT_TRUE(strategy->ask(0).empty());
}

}  // namespace
}  // namespace ardea::search
