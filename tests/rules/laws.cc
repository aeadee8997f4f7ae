#include "tests/rules/laws.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "ardea/ir/equal.h"
#include "ardea/ir/print.h"
#include "ardea/limits/limits.h"
#include "ardea/lower/limits_of.h"
#include "ardea/lower/pipeline.h"
#include "ardea/schedule/canon.h"
#include "ardea/space/engine.h"
#include "ardea/space/evaluate.h"
#include "ardea/support/error.h"
#include "ardea/support/random.h"
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

std::string fault_of(const Sketch& sketch, const space::Point& point, const target::Target& target) {
  try {
    const Function program = materialise(sketch, point).program();
    for (const limits::Bound& bound : limits::bounds_of(lower::limits_of(program, target), target)) {
      const auto taken = bound.taken.defined() ? limits::value_at(bound.taken, {}) : std::nullopt;
      if (bound.available && taken && *taken > *bound.available)
        return fmt::format("it takes {} {} of {}", *taken, bound.name, *bound.available);
    }
    // There is no code for other machines: the interpreter runs their programs as they are.
    if (target.kind == target::Kind::cpu) lower::lower_unpacked(program, target);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

space::System without(const space::System& system, const std::vector<std::string>& names) {
  space::System less;
  for (const space::Variable& variable : system.variables()) {
    if (variable.is_knob())
      less.knob(variable.name, variable.domain, variable.reason);
    else
      less.define(variable.name, variable.domain,
                  system.constraints()[static_cast<std::size_t>(variable.definition)].body);
  }
  for (std::size_t i = 0; i < system.constraints().size(); ++i) {
    const space::Constraint& constraint = system.constraints()[i];
    const bool is_left_out = std::find(names.begin(), names.end(), constraint.name) != names.end();
    if (!system.is_definition(static_cast<int>(i)) && !is_left_out) less.post(constraint);
  }
  return less;
}

namespace {

/// The numbers of knobs alone.
std::vector<std::int64_t> knob_values(const space::System& system, const space::Point& point) {
  std::vector<std::int64_t> values;
  for (const space::Var knob : system.knobs()) values.push_back(point[static_cast<std::size_t>(knob.index)]);
  return values;
}

/// The first constraint that the point breaks.
const space::Constraint* broken(const space::System& system, const space::Point& point) {
  for (const space::Constraint& constraint : system.constraints())
    if (!space::holds(constraint, point)) return &constraint;
  return nullptr;
}

/// Solutions near the point: for each constraint that it breaks one of its knobs, the last ones first, is the
/// next smaller one with which it holds.
void repair(const space::System& system, const space::Point& point, std::vector<space::Point>& solutions) {
  const space::Constraint* const first = broken(system, point);
  if (first == nullptr) {
    solutions.push_back(point);
    return;
  }
  const std::vector<space::Var>& knobs = system.knobs();
  for (std::size_t at = knobs.size(); at-- > 0;) {
    std::vector<std::int64_t> values = knob_values(system, point);
    const std::vector<std::int64_t> all = system[knobs[at]].domain.values();
    for (std::size_t i = all.size(); i-- > 0;) {
      if (all[i] >= point[static_cast<std::size_t>(knobs[at].index)]) continue;
      values[at] = all[i];
      const auto next = space::complete_knobs(system, values);
      if (!next || !space::holds(*first, *next)) continue;
      repair(system, *next, solutions);
      break;
    }
  }
}

/// The parts between commas outside of parentheses.
std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else if (c != ' ')
      parts.back() += c;
  }
  return parts;
}

/// "for i, j in T.grid(2, 3):" as a line for each loop, as it is where something stands between them.
std::vector<std::string> loops_of(const std::string& line) {
  const std::string begin = "for ", grid = " in T.grid(", end = "):";
  const std::size_t at = line.find(grid);
  if (!line.starts_with(begin) || at == std::string::npos) return {line};
  const auto names = listed(line.substr(begin.size(), at - begin.size()));
  const std::size_t first = at + grid.size();
  const auto extents = listed(line.substr(first, line.size() - end.size() - first));
  std::vector<std::string> loops;
  for (std::size_t i = 0; i < names.size(); ++i)
    loops.push_back(fmt::format("for {} in range({}):", names[i], extents.at(i)));
  return loops;
}

/// The statements of a program, a line each, in order. How deep they stand, which loops are one line and
/// where allocations stand, and what is noted of these, depends on what is beside them.
std::vector<std::string> statements_of(const Function& program) {
  std::istringstream text(print(program));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);)
    if (line.find("T.allocate(") == std::string::npos)
      for (const std::string& one : loops_of(line.substr(std::min(line.find_first_not_of(' '), line.size()))))
        lines.push_back(one);
  return lines;
}

/// Whether one has all that the other has, in its order: it is the same, or has iterations that give no
/// result.
bool has_all_of(const std::vector<std::string>& one, const std::vector<std::string>& other) {
  std::size_t met = 0;
  for (const std::string& line : one)
    if (met < other.size() && line == other[met]) ++met;
  return met == other.size();
}

}  // namespace

std::optional<space::Point> twin_of(const Sketch& sketch, const space::Point& point,
                                    const target::Target& target) {
  std::vector<space::Point> near;
  repair(sketch.system, point, near);
  const auto statements_at = [&](const space::Point& at) {
    return statements_of(lower::lower_unpacked(materialise(sketch, at).program(), target));
  };
  const std::vector<std::string> statements = statements_at(point);
  for (const space::Point& other : near)
    if (has_all_of(statements, statements_at(other))) return other;
  return std::nullopt;
}

std::optional<int> tuples_to_try(int usual) {
  const char* const asked = std::getenv("ARDEA_TUPLES");
  if (asked != nullptr && std::string(asked) == "all") return std::nullopt;
  return usual;
}

Tried expect_nothing_lost(const Sketch& sketch, const target::Target& target, std::optional<int> most,
                          std::uint64_t seed) {
  std::uint64_t count = 1;
  for (const schedule::Knob& knob : sketch.knobs) count *= knob.values.size();
  const bool is_drawn = most && count > static_cast<std::uint64_t>(*most);
  Random random(seed);
  const space::System needed = without(sketch.system, sketch.kept);
  std::atomic<int> valid = 0, twins = 0;
  // The number of a tuple in the order of all of them.
  const auto try_tuple = [&](std::uint64_t number) {
    std::vector<std::int64_t> tuple;
    for (const schedule::Knob& knob : sketch.knobs) {
      tuple.push_back(knob.values[number % knob.values.size()]);
      number /= knob.values.size();
    }
    const auto point = space::complete_knobs(sketch.system, tuple);
    const bool is_solution = point && space::is_solution(sketch.system, *point);
    // It breaks only what keeps two points from being one program: it may be refused, for it is not a point.
    const bool may_be_twin = point && !is_solution && space::is_solution(needed, *point);
    const std::string fault = point ? fault_of(sketch, *point, target) : "it has no values";
    if (is_solution || !may_be_twin) {
      EXPECT_EQ(is_solution, fault.empty())
          << to_string(sketch.ways) << " at " << fmt::format("{}", fmt::join(tuple, ", ")) << ": "
          << (fault.empty() && point ? "against " + broken(needed, *point)->reason : fault)
          << (is_drawn ? fmt::format("; drawn from the seed {}", seed) : "");
    }
    if (may_be_twin && fault.empty()) {
      EXPECT_TRUE(twin_of(sketch, *point, target))
          << to_string(sketch.ways) << ": no other point is the program of "
          << fmt::format("{}", fmt::join(tuple, ", "));
      ++twins;
    }
    valid += fault.empty() ? 1 : 0;
  };
  const std::uint64_t all = is_drawn ? static_cast<std::uint64_t>(*most) : count;
  if (is_drawn) {
    for (std::uint64_t i = 0; i < all; ++i)
      try_tuple(random.integer(0, static_cast<std::int64_t>(count) - 1));
  } else {
    // Hundreds of thousands, each by itself: all cores take the next one.
    std::atomic<std::uint64_t> next = 0;
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
      threads.emplace_back([&] {
        for (std::uint64_t number; (number = next++) < all;) try_tuple(number);
      });
  }
  return {valid, static_cast<int>(all), twins};
}

}  // namespace ardea::rules
