#include "ardea/search/moves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "ardea/search/cga.h"
#include "ardea/search/mutators.h"
#include "ardea/space/evaluate.h"
#include "ardea/space/parse.h"
#include "tests/search/examples.h"

namespace ardea::search {
namespace {

using space::Choice;
using space::Var;
using testing::Space;

std::int64_t value(const Choice& choice, Var knob) {
  return choice.point[static_cast<std::size_t>(knob.index)];
}

TEST(Crossover, gives_children_key_values_of_a_parent_but_for_one) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Random random(seed);
    const Space space = testing::random_space(random, seed % 2 == 0);
    const Ground ground({.sketches = space.sketches()});
    const std::vector<Choice> all = space.all();
    for (int i = 0; i < 40; ++i) {
      const Choice& a = random.pick(all);
      std::vector<Choice> of_its_sketch = all;
      std::erase_if(of_its_sketch, [&](const Choice& c) { return c.sketch != a.sketch; });
      const Choice& b = random.pick(of_its_sketch);
      const std::vector<Var>& knobs = ground.system(a.sketch).knobs();
      std::vector<std::size_t> keys;
      for (std::size_t k = 0; k < knobs.size(); ++k)
        if (random.chance(0.7)) keys.push_back(k);
      const auto child = crossover(ground, a, b, keys, random);
      ASSERT_TRUE(child) << "both parents are such children; seed " << seed;
      ASSERT_EQ(child->sketch, a.sketch);
      ASSERT_TRUE(space::is_solution(ground.system(a.sketch), child->point)) << "seed " << seed;
      std::size_t mutated = 0;
      for (const std::size_t key : keys) {
        const std::int64_t inherited = value(*child, knobs[key]);
        if (inherited != value(a, knobs[key]) && inherited != value(b, knobs[key])) ++mutated;
      }
      ASSERT_LE(mutated, 1) << "seed " << seed;
    }
  }
}

/// Nothing but what the search does shows what its children are: with every knob a key, those that are asked
/// for differ from what two measured points have in at most one knob, once the first populations, which are
/// by chance, are left out.
TEST(Cga, asks_for_children_of_what_was_measured) {
  const Space space = testing::tiling_space(64);
  const auto seconds = [&](const Choice& choice) {
    return testing::tiling_seconds(space.solvers[choice.sketch]->system(), choice);
  };
  const auto model = testing::knowing_model(seconds, 0, 1, space);
  Setting setting{.sketches = space.sketches(), .seed = 5, .model = model.get()};
  setting.options = {{"keys", 1}, {"generations", 1}, {"population", 1200}, {"greedy", 1}, {"crowd", 1}};
  const auto strategy = method("cga").make(setting);
  // The fastest points of all, measured.
  std::vector<std::pair<double, Choice>> all;
  for (std::uint64_t i = 0; i < space.solvers[0]->tree()->count(); ++i) {
    Choice choice{0, space.solvers[0]->tree()->point(i)};
    const double time = seconds(choice);
    all.emplace_back(time, std::move(choice));
  }
  std::partial_sort(all.begin(), all.begin() + 12, all.end());
  std::vector<Choice> best;
  for (std::size_t i = 0; i < 12; ++i) best.push_back(all[i].second);
  for (const Choice& choice : best) strategy->tell(testing::timed(choice, seconds(choice)));
  model->learn({testing::timed(best[0], seconds(best[0]))});
  std::size_t children = 0;
  const std::vector<Choice> asked = strategy->ask(20);
  for (const Choice& choice : asked) {
    if (choice.sketch != 0) continue;
    std::size_t least = 99;
    for (const Choice& a : best)
      for (const Choice& b : best) {
        std::size_t others = 0;
        for (const Var knob : space.solvers[0]->system().knobs())
          others += value(choice, knob) != value(a, knob) && value(choice, knob) != value(b, knob) ? 1 : 0;
        least = std::min(least, others);
      }
    children += least <= 1 ? 1 : 0;
  }
  EXPECT_EQ(asked.size(), 20);
  EXPECT_GE(children, 15);
}

TEST(KeyKnobs, are_the_most_important_ones) {
  EXPECT_EQ(key_knobs({0.1, 0.4, 0.2, 0.3}, 0.5), (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(key_knobs({0.1, 0.4, 0.2, 0.3}, 0.6), (std::vector<std::size_t>{1, 3, 2}));
  EXPECT_EQ(key_knobs({0.1, 0.4, 0.2, 0.3}, 0.01), (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(key_knobs({1}, 0.5), (std::vector<std::size_t>{0}));
  EXPECT_EQ(key_knobs({}, 0.5), (std::vector<std::size_t>{}));
}

TEST(Step, changes_a_knob_and_as_few_others_as_it_must) {
  Space space;
  space.add(
      space::parse("knob a in {1, 2, 4, 8, 16} knob b in {1, 2, 4, 8, 16} knob c in 0..9 knob d in 5..5 "
                   "require whole: a * b == 16"));
  space.add(space.solvers[0]->system(), testing::by_walks());
  const Ground ground({.sketches = space.sketches()});
  for (const std::size_t sketch : {0, 1}) {
    Random random(3);
    std::map<std::size_t, int> changed;
    for (int i = 0; i < 300; ++i) {
      const Choice from{sketch, {4, 4, i % 10, 5}};
      const auto to = step(ground, from, random);
      ASSERT_TRUE(to);
      ASSERT_TRUE(space::is_solution(ground.system(sketch), to->point));
      std::size_t others = 0;
      for (std::size_t k = 0; k < 4; ++k) others += from.point[k] != to->point[k] ? 1 : 0;
      ++changed[others];
      ASSERT_TRUE(others != 1 || from.point[2] != to->point[2]) << "a and b change together";
    }
    EXPECT_EQ(changed.size(), 2);
    EXPECT_NEAR(changed[1], 100, 40);
    EXPECT_NEAR(changed[2], 200, 40);
  }
}

TEST(AnyOf, takes_each_value_of_a_set_alike) {
  const space::Domain domain = space::Domain::of({-3, -2, 5, 6, 7, 40});
  Random random(9);
  std::map<std::int64_t, int> any, other;
  for (int i = 0; i < 6000; ++i) ++any[any_of(domain, random)], ++other[other_than(domain, 6, random)];
  EXPECT_EQ(any.size(), 6);
  for (const auto& [v, times] : any) EXPECT_NEAR(times, 1000, 150) << v;
  EXPECT_EQ(other.size(), 5);
  EXPECT_FALSE(other.contains(6));
  for (const auto& [v, times] : other) EXPECT_NEAR(times, 1200, 150) << v;
}

std::vector<std::string> names(const space::System& system, const std::vector<Var>& variables) {
  std::vector<std::string> list;
  for (const Var v : variables) list.push_back(system[v].name);
  return list;
}

TEST(Decisions, are_told_apart_by_their_constraints) {
  const space::Solver solver(
      space::parse("knob m0 in {1, 2, 4, 8} knob m1 in {1, 2, 4, 8} knob m2 in {1, 2, 4, 8} "
                   "knob inner in 1..30 knob order in 0..3 knob fixed in 7..7 knob place in 0..2 "
                   "define outer = ceil_div(100, inner) "
                   "define bytes = select(place, m0, outer, 4) "
                   "require whole: m0 * m1 * m2 == 8 require few: when order == 2: outer <= 20"));
  const Decisions decisions = decisions_of(solver);
  ASSERT_EQ(decisions.splits.size(), 1);
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(solver.system(), decisions.splits[0]), (Names{"m0", "m1", "m2"}));
  EXPECT_EQ(names(solver.system(), decisions.sizes), (Names{"inner"}));
  EXPECT_EQ(names(solver.system(), decisions.categories), (Names{"order", "place"}));
}

TEST(Mutators, move_factors_within_a_split_and_redraw_categories) {
  Space space;
  space.add(space::parse(
      "knob m0 in {1, 2, 3, 4, 6, 12} knob m1 in {1, 2, 3, 4, 6, 12} knob m2 in {1, 2, 3, 4, 6, 12} "
      "knob kind in 0..3 require whole: m0 * m1 * m2 == 12 require few: when kind == 2: m2 <= 2"));
  const Ground ground({.sketches = space.sketches()});
  const Decisions decisions = decisions_of(ground.solver(0));
  Random random(4);
  std::set<Choice> tiles, kinds;
  const Choice from{0, {2, 2, 3, 0}};
  for (int i = 0; i < 300; ++i) {
    if (const auto tile = mutate_tile(ground, decisions, from, random)) {
      ASSERT_TRUE(ground.contains(*tile));
      std::size_t moved = 0;
      for (std::size_t k = 0; k < 3; ++k) moved += tile->point[k] != from.point[k] ? 1 : 0;
      ASSERT_EQ(moved, 2);
      ASSERT_EQ(tile->point[3], 0);
      tiles.insert(*tile);
    }
    if (const auto kind = mutate_category(ground, decisions, from, random)) {
      ASSERT_TRUE(ground.contains(*kind));
      ASSERT_NE(kind->point[3], 0);
      kinds.insert(*kind);
    }
  }
  EXPECT_EQ(tiles.size(), 6);  // 2 or 3 from each of the three to each of the two others
  EXPECT_EQ(kinds.size(), 3);  // one of them with a factor moved out of m2
}

}  // namespace
}  // namespace ardea::search
