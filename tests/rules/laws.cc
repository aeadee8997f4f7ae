#include "tests/rules/laws.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "ardea/ir/equal.h"
#include "ardea/ir/print.h"
#include "ardea/limits/limits.h"
#include "ardea/lower/limits_of.h"
#include "ardea/schedule/canon.h"
#include "ardea/space/engine.h"
#include "ardea/space/evaluate.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::rules {

namespace {

std::vector<std::pair<Var, std::int64_t>> numbers_of(const Sketch& sketch, const space::Point& point) {
  std::vector<std::pair<Var, std::int64_t>> numbers;
  for (std::size_t i = 0; i < sketch.knobs.size(); ++i)
    numbers.emplace_back(sketch.knobs[i].var,
                         point[static_cast<std::size_t>(sketch.system.knobs()[i].index)]);
  return numbers;
}

}  // namespace

std::vector<space::Point> solutions_of(const space::System& system) {
  std::vector<space::Point> all;
  space::for_each_solution(system, [&](const space::Point& point) { all.push_back(point); });
  return all;
}

std::string in_words(const Sketch& sketch, const space::Point& point) {
  std::vector<std::string> words = {to_string(sketch.ways)};
  for (const auto& [var, number] : numbers_of(sketch, point))
    words.push_back(fmt::format("{} = {}", var.name(), number));
  return join(words, ", ");
}

Function replayed_by_the_law(const Sketch& sketch, const space::Point& point) {
  Function replayed = materialise(sketch, point).program();
  const Function expected =
      schedule::canon(schedule::with_numbers(sketch.symbolic, numbers_of(sketch, point)));
  EXPECT_EQ(first_difference(expected, schedule::canon(replayed)), "") << in_words(sketch, point) << "\n"
                                                                       << print(expected) << print(replayed);
  return replayed;
}

bool is_valid(const Sketch& sketch, const space::Point& point, const target::Target& target) {
  try {
    const Function program = materialise(sketch, point).program();
    for (const limits::Bound& bound : limits::bounds_of(lower::limits_of(program, target), target)) {
      const auto taken = bound.taken.defined() ? limits::value_at(bound.taken, {}) : std::nullopt;
      if (bound.available && taken && *taken > *bound.available) return false;
    }
    return true;
  } catch (const Error&) {
    return false;
  }
}

Tried expect_nothing_lost(const Sketch& sketch, const target::Target& target) {
  space::System free;
  for (const schedule::Knob& knob : sketch.knobs) free.knob(knob.var.name(), space::Domain::of(knob.values));
  Tried tried;
  for (const space::Point& tuple : solutions_of(free)) {
    const auto point = space::complete_knobs(sketch.system, tuple);
    const bool is_solution = point && space::is_solution(sketch.system, *point);
    const bool is_right = point && is_valid(sketch, *point, target);
    EXPECT_EQ(is_solution, is_right) << to_string(sketch.ways) << " at "
                                     << fmt::format("{}", fmt::join(tuple, ", "));
    ++tried.all;
    tried.valid += is_right ? 1 : 0;
  }
  return tried;
}

}  // namespace ardea::rules
