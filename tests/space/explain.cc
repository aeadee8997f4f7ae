#include "ardea/space/explain.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ardea/space/evaluate.h"
#include "ardea/space/parse.h"
#include "ardea/space/print.h"
#include "tests/space/random_system.h"
#include "tests/space/tensor_core_gemm.h"

namespace ardea::space {
namespace {

using testing::all_solutions;
using testing::random_system;

/// The system without the posted constraints that are not chosen.
System only(const System& system, const std::vector<int>& chosen) {
  System part;
  std::size_t next = 0;
  const auto knobs = [&] {
    for (; next < system.variables().size() && system.variables()[next].is_knob(); ++next)
      part.knob(system.variables()[next].name, system.variables()[next].domain);
  };
  for (std::size_t c = 0; c < system.constraints().size(); ++c) {
    const Constraint& constraint = system.constraints()[c];
    if (system.is_definition(static_cast<int>(c))) {
      knobs();
      part.define(system.variables()[next].name, system.variables()[next].domain, constraint.body);
      ++next;
      continue;
    }
    knobs();
    if (std::find(chosen.begin(), chosen.end(), static_cast<int>(c)) != chosen.end()) part.post(constraint);
  }
  knobs();
  return part;
}

TEST(Explain, names_a_minimal_conflict) {
  int conflicts = 0, by_definitions = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    Random random(seed);
    const System system = random_system(random);
    const auto conflict = why_unsatisfiable(system);
    ASSERT_EQ(conflict.has_value(), all_solutions(system).empty()) << "seed " << seed << "\n"
                                                                   << print(system);
    if (!conflict) continue;
    const bool posted = std::none_of(conflict->constraints.begin(), conflict->constraints.end(),
                                     [&](int c) { return system.is_definition(c); });
    if (!posted || conflict->constraints.empty()) {
      ++by_definitions;
      ASSERT_TRUE(all_solutions(only(system, {})).empty()) << "seed " << seed;
      continue;
    }
    ++conflicts;
    ASSERT_TRUE(conflict->minimal);
    ASSERT_TRUE(all_solutions(only(system, conflict->constraints)).empty()) << "seed " << seed << "\n"
                                                                            << print(system);
    for (const int member : conflict->constraints) {
      std::vector<int> others = conflict->constraints;
      std::erase(others, member);
      ASSERT_FALSE(all_solutions(only(system, others)).empty())
          << "seed " << seed << ": " << member << " is not needed\n"
          << print(system);
    }
  }
  EXPECT_GT(conflicts, 300);
  EXPECT_GT(by_definitions, 20);
}

TEST(Explain, speaks_in_the_words_of_the_constraints) {
  const System system = parse(R"(
    knob m in 1..64 because "rows of a tile"
    knob n in {16, 32} because "lanes"
    knob other in 1..4
    define area = m * n
    require fits: area <= 128 because "the scratchpad holds 128 elements"
    require tall: m >= 9 because "fewer rows leave the unit idle"
    require small: other <= 3)");
  const auto conflict = why_unsatisfiable(system);
  ASSERT_TRUE(conflict.has_value());
  EXPECT_EQ(in_words(system, *conflict),
            "These constraints cannot hold together; without any one of them the others can:\n"
            "  fits: area <= 128 (the scratchpad holds 128 elements)\n"
            "  tall: m >= 9 (fewer rows leave the unit idle)\n"
            "  where area: area == m * n\n"
            "  with m in 1..64 (rows of a tile)\n"
            "  with n in {16, 32} (lanes)\n");
}

TEST(Explain, says_why_a_variable_cannot_have_a_value) {
  const System system = testing::tensor_core_gemm(1024, 1024, 1024);
  const auto conflict = why_not(system, system.get("m_tile"), 64);
  ASSERT_TRUE(conflict.has_value());
  std::vector<std::string> names;
  for (const int c : conflict->constraints)
    names.push_back(system.constraints()[static_cast<std::size_t>(c)].name);
  EXPECT_TRUE(conflict->minimal);
  EXPECT_EQ(names, (std::vector<std::string>{"registers_per_thread"}));
  EXPECT_EQ(why_not(system, system.get("m_warp"), 4), std::nullopt);
}

TEST(Explain, says_what_a_point_breaks_and_what_is_near) {
  const System system = parse(R"(
    knob a in 1..16
    knob b in 1..16
    knob c in {1, 2, 4}
    define p = a * b
    require whole: p == 16 because "parts of 16"
    require wide: c divides b because "lanes")");
  const Point point = *complete(system, {5, 4, 4, 0});
  const PointReport report = explain(system, point);
  EXPECT_EQ(report.broken.size(), 1);
  EXPECT_EQ(in_words(system, point, report),
            "breaks whole: p == 16 (parts of 16); here p = 20\n"
            "a = 4 alone would make it a solution (it is 5)\n"
            "a solution near it: the same with a = 4\n");
  const Point far = *complete(system, {3, 3, 1, 0});
  EXPECT_EQ(in_words(system, far, explain(system, far)),
            "breaks whole: p == 16 (parts of 16); here p = 9\n"
            "a = 3 is in no solution; the nearest value that is in one is 2\n"
            "b = 3 is in no solution; the nearest value that is in one is 2\n"
            "a solution near it: the same with a = 2, b = 8\n");
  const Point fine = *complete(system, {4, 4, 1, 0});
  EXPECT_EQ(in_words(system, fine, explain(system, fine)), "The point is a solution.\n");
}

TEST(Explain, finds_nearest_values_by_definition) {
  int broken = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Random random(seed);
    const System system = random_system(random);
    const std::vector<Point> all = all_solutions(system);
    Point knobs(system.variables().size());
    bool empty = false;
    for (const Var knob : system.knobs()) {
      empty = empty || system[knob].domain.empty();
      if (!empty) knobs[static_cast<std::size_t>(knob.index)] = random.pick(system[knob].domain.values());
    }
    const auto point = complete(system, knobs);
    if (empty || !point) continue;
    const PointReport report = explain(system, *point);
    ASSERT_EQ(report.is_solution(), is_solution(system, *point)) << "seed " << seed;
    broken += report.is_solution() ? 0 : 1;
    ASSERT_EQ(report.repaired.has_value(), !all.empty()) << "seed " << seed << "\n" << print(system);
    ASSERT_TRUE(!report.repaired || is_solution(system, *report.repaired)) << "seed " << seed;
    ASSERT_TRUE(!report.is_solution() || *report.repaired == *point) << "seed " << seed;
    for (const PointReport::Nearest& nearest : report.nearest) {
      const auto k = static_cast<std::size_t>(nearest.knob.index);
      std::optional<std::int64_t> alone, at_all;
      const auto nearer = [&](std::int64_t value, const std::optional<std::int64_t>& best) {
        return !best || std::abs(value - (*point)[k]) < std::abs(*best - (*point)[k]);
      };
      for (const Point& other : all) {
        bool kept = true;
        for (const Var each : system.knobs())
          kept = kept && (each == nearest.knob || other[static_cast<std::size_t>(each.index)] ==
                                                      (*point)[static_cast<std::size_t>(each.index)]);
        if (kept && nearer(other[k], alone)) alone = other[k];
        if (nearer(other[k], at_all)) at_all = other[k];
      }
      const auto distance = [&](const std::optional<std::int64_t>& value) {
        return value ? std::abs(*value - (*point)[k]) : -1;
      };
      ASSERT_EQ(distance(nearest.alone), distance(alone)) << "seed " << seed << "\n" << print(system);
      ASSERT_TRUE(alone || distance(nearest.at_all) == distance(at_all)) << "seed " << seed << "\n"
                                                                         << print(system);
    }
  }
  EXPECT_GT(broken, 200);
}

}  // namespace
}  // namespace ardea::space
