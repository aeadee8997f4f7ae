#include "ardea/space/tree.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ardea/space/evaluate.h"
#include "ardea/space/image.h"
#include "ardea/space/parse.h"
#include "ardea/space/print.h"
#include "tests/space/random_system.h"

namespace ardea::space {
namespace {

using testing::all_solutions;
using testing::random_system;

Tree tree_of(const Engine& engine) { return std::get<Tree>(Tree::build(engine, {})); }

TEST(Engine, loses_no_solution) {
  int satisfiable = 0, narrowed = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    Random random(seed);
    const System system = random_system(random);
    const Engine engine(system);
    const std::vector<Point> solutions = all_solutions(system);
    ASSERT_TRUE(engine.satisfiable() || solutions.empty()) << "seed " << seed << "\n" << print(system);
    Engine::Scratch scratch(engine);
    for (const Point& point : solutions) {
      ASSERT_TRUE(engine.begin(scratch));
      for (std::size_t v = 0; v < point.size(); ++v)
        ASSERT_TRUE(scratch.store.contains(static_cast<int>(v), point[v]))
            << "seed " << seed << ": " << system.variables()[v].name << " = " << point[v] << "\n"
            << print(system);
      // Nor on the way to it.
      for (const Var knob : system.knobs()) {
        ASSERT_TRUE(scratch.store.assign(knob.index, point[static_cast<std::size_t>(knob.index)]) &&
                    engine.propagate(scratch))
            << "seed " << seed << " at knob " << system[knob].name << "\n"
            << print(system);
      }
    }
    satisfiable += solutions.empty() ? 0 : 1;
    for (const Var knob : system.knobs())
      narrowed += engine.satisfiable() && engine.layout().domain(knob.index) != system[knob].domain ? 1 : 0;
  }
  EXPECT_GT(satisfiable, 900);
  EXPECT_GT(narrowed, 500);
}

TEST(Tree, has_the_solutions_of_random_systems_each_once) {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    Random random(seed);
    const System system = random_system(random);
    const Engine engine(system);
    const Tree tree = tree_of(engine);
    const std::vector<Point> expected = all_solutions(system);
    ASSERT_EQ(tree.count(), expected.size()) << "seed " << seed << "\n" << print(system);
    // In the same order: of the knobs' values, the last one fastest.
    for (std::uint64_t i = 0; i < tree.count(); ++i) {
      ASSERT_EQ(tree.point(i), expected[i]) << "seed " << seed << "\n" << print(system);
      ASSERT_EQ(tree.index_of(expected[i]), i);
    }
  }
}

TEST(Tree, knows_points_that_are_no_solutions) {
  const System system = parse("knob a in 1..6 knob b in 1..6 define c = a * b require r: c == 6");
  const Engine engine(system);
  const Tree tree = tree_of(engine);
  EXPECT_EQ(tree.count(), 4);
  EXPECT_EQ(tree.index_of({2, 2, 4}), std::nullopt);
  EXPECT_EQ(tree.index_of({2, 3, 7}), std::nullopt);
}

TEST(Tree, shares_equal_branches) {
  // Ten axes of four parts each: more solutions than anybody enumerates, and a tree of a few hundred nodes.
  std::string text;
  for (int axis = 0; axis < 10; ++axis) {
    for (int part = 0; part < 4; ++part) text += fmt::format("knob a{}_{} in 1..1024\n", axis, part);
    text += fmt::format("require split{0}: a{0}_0 * a{0}_1 * a{0}_2 * a{0}_3 == 64\n", axis);
  }
  const System system = parse(text);
  const Engine engine(system);
  const Tree tree = tree_of(engine);
  std::uint64_t expected = 1;
  for (int axis = 0; axis < 10; ++axis) expected *= 84;  // C(6 + 3, 3)
  EXPECT_EQ(tree.count(), expected);
  EXPECT_LT(tree.nodes(), 1000);
  Random random(3);
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t index = Tree::below(random, tree.count());
    EXPECT_EQ(tree.index_of(tree.point(index)), index);
  }
}

/// Four stages with knobs of their own, joined by a limit on the largest or on the sum.
std::string joined_stages(const std::string& limit) {
  std::string text;
  for (const char stage : {'a', 'b', 'c', 'd'})
    text += fmt::format("knob {0}m in 1..40 knob {0}n in 1..40 define {0} = {0}m * {0}n\n", stage);
  return text + limit;
}

TEST(Tree, does_not_join_stages_by_limits_that_hold_for_each_alone) {
  // Products of two numbers of 1..40 that are at most 32.
  std::uint64_t alone = 0;
  for (int m = 1; m <= 32; ++m) alone += static_cast<std::uint64_t>(32 / m);
  for (const bool by_largest : {true, false}) {
    const System system =
        parse(joined_stages(by_largest ? "require r: max(max(max(a, b), c), d) <= 32"
                                       : "require r1: a <= 32 require r2: b <= 32 require r3: c <= 32 "
                                         "require r4: d <= 32 require memory: a + b + c + d <= 128"));
    const Engine engine(system);
    const Tree tree = tree_of(engine);
    EXPECT_EQ(tree.count(), alone * alone * alone * alone);
    EXPECT_LT(tree.nodes(), 200U) << by_largest;
  }
}

TEST(Tree, joins_stages_by_a_limit_on_their_sum) {
  const System system = parse(
      "knob a in 1..9 knob b in 1..9 knob c in 1..9 define ab = a * b define s = ab + c require r: s <= 30");
  const Engine engine(system);
  EXPECT_EQ(tree_of(engine).count(), all_solutions(system).size());
}

/// By trying all values that are left of what a definition computes from.
bool always_gives_a_value_left(const Store& store, const Body& definition) {
  const int result = result_of(definition)->variable().index;
  std::vector<int> operands;
  for_each_operand(definition, [&](const Operand& operand) {
    if (operand.is_variable() && operand.variable().index != result &&
        std::find(operands.begin(), operands.end(), operand.variable().index) == operands.end())
      operands.push_back(operand.variable().index);
  });
  Point point = store.state().low;
  const auto all = [&](std::size_t next, const auto& self) -> bool {
    if (next == operands.size()) {
      const auto value = value_of(definition, point);
      return value && store.contains(result, *value);
    }
    const int v = operands[next];
    for (std::int64_t value = store.low(v); value <= store.high(v); ++value) {
      if (!store.contains(v, value)) continue;
      point[static_cast<std::size_t>(v)] = value;
      if (!self(next + 1, self)) return false;
    }
    return true;
  };
  return all(0, all);
}

TEST(Image, is_left_only_where_every_value_is) {
  int sure = 0, unsure = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    Random random(seed);
    const System system = random_system(random);
    const Engine engine(system);
    Engine::Scratch scratch(engine);
    if (!engine.begin(scratch)) continue;
    for (const Variable& variable : system.variables()) {
      if (variable.is_knob()) continue;
      const Constraint& definition = system.constraints()[static_cast<std::size_t>(variable.definition)];
      std::uint64_t tuples = 1;
      for (const Var v : engine.variables_of(variable.definition))
        tuples = std::min<std::uint64_t>(1'000'000, tuples * scratch.store.count(v.index));
      if (tuples > 100'000) continue;
      const bool is_so = always_gives_a_value_left(scratch.store, definition.body);
      if (gives_a_value_left(scratch.store, definition.body)) {
        ++sure;
        ASSERT_TRUE(is_so) << "seed " << seed << ": " << variable.name << "\n" << print(system);
      } else if (is_so) {
        ++unsure;
      }
    }
  }
  EXPECT_GT(sure, 500);
  EXPECT_LT(unsure, sure / 4);  // it may say no, and seldom does
}

TEST(Tree, samples_uniformly) {
  const System system = parse(
      "knob a in 1..24 knob b in 1..24 knob c in 1..24 require r: a * b * c == 24 require s: a + b <= 14");
  const Engine engine(system);
  const Tree tree = tree_of(engine);
  std::vector<int> counts(tree.count(), 0);
  Random random(11);
  const int draws = 20000;
  for (int i = 0; i < draws; ++i) ++counts[*tree.index_of(tree.sample(random))];
  const double expected = static_cast<double>(draws) / static_cast<double>(tree.count());
  double chi2 = 0;
  for (const int count : counts) chi2 += (count - expected) * (count - expected) / expected;
  const auto freedom = static_cast<double>(tree.count() - 1);
  EXPECT_LT(chi2, freedom + 4 * std::sqrt(2 * freedom));
  EXPECT_GT(chi2, freedom - 4 * std::sqrt(2 * freedom));
}

TEST(Tree, gives_up_by_work_not_by_time) {
  std::string text;
  for (int i = 0; i < 12; ++i) text += "knob x" + std::to_string(i) + " in 0..40\n";
  for (int i = 0; i + 2 < 12; ++i)
    text += "require r" + std::to_string(i) + ": x" + std::to_string(i) + " * x" + std::to_string(i + 1) +
            " != x" + std::to_string((i + 7) % 12) + " * x" + std::to_string(i + 2) + " + 1\n";
  const System system = parse(text);
  const Engine engine(system);
  const auto first = Tree::build(engine, {.work = 50'000});
  const auto again = Tree::build(engine, {.work = 50'000});
  ASSERT_TRUE(std::holds_alternative<Tree::TooLarge>(first));
  EXPECT_EQ(std::get<Tree::TooLarge>(first).work, std::get<Tree::TooLarge>(again).work);
  EXPECT_LT(std::get<Tree::TooLarge>(first).work, 60'000);
  EXPECT_TRUE(std::holds_alternative<Tree::TooLarge>(Tree::build(engine, {.words = 1000})));
}

TEST(Tree, survives_bounds_that_push_each_other_for_ever) {
  const System system = parse(
      "knob x in 0..1000000000000000 knob y in 0..1000000000000000 knob z in 0..3 "
      "require a: x < y require b: y < x + 1");
  const Engine engine(system);
  EXPECT_TRUE(std::holds_alternative<Tree::TooLarge>(Tree::build(engine, {.work = 20'000})));
}

}  // namespace
}  // namespace ardea::space
