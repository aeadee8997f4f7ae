#include "ardea/rules/witnesses.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::rules {

namespace {

/// Points that are tried where nothing is deferred.
constexpr std::size_t few = 2;

/// One end of a knob's domain: the outermost value there that a solution has.
struct Edge {
  space::Var knob = {};
  bool is_largest = false;
};

space::Constraint is(const space::System& system, space::Var knob, std::int64_t value) {
  return system.canonical({"edge", "", {}, space::Linear{{{1, knob}}, 0, space::Relation::eq, value}});
}

/// A solution at the edge; nothing where the outermost few values have none.
std::optional<space::Point> solution_at(const space::Solver& solver, const Edge& edge) {
  constexpr int tries = 4;
  const std::vector<std::int64_t> values = solver.system()[edge.knob].domain.values();
  for (std::size_t i = 0; i < values.size() && i < tries; ++i) {
    const std::int64_t value = values[edge.is_largest ? values.size() - 1 - i : i];
    const space::Found found = solver.solve({is(solver.system(), edge.knob, value)}, i + 1);
    if (found.answer == space::Answer::yes) return found.point;
  }
  return std::nullopt;
}

}  // namespace

std::vector<space::Point> witnesses(const space::Solver& solver, std::size_t most) {
  const space::System& system = solver.system();
  std::vector<space::Point> all;
  const auto add = [&](const space::Point& point) {
    if (std::find(all.begin(), all.end(), point) == all.end()) all.push_back(point);
  };
  const auto is_covered = [&](const Edge& edge, const space::Point& wanted) {
    const auto at = static_cast<std::size_t>(edge.knob.index);
    return std::any_of(all.begin(), all.end(),
                       [&](const space::Point& point) { return point[at] == wanted[at]; });
  };
  constexpr std::size_t by_chance = few;
  for (const space::Var knob : system.knobs())
    for (const bool is_largest : {false, true}) {
      if (all.size() + by_chance >= most) break;
      const Edge edge{knob, is_largest};
      if (const auto point = solution_at(solver, edge); point && !is_covered(edge, *point)) add(*point);
    }
  for (const space::Point& point : solver.sample(by_chance, 1).points) add(point);
  return all;
}

namespace {

/// A solution with the numbers of one that was tried, as far as the sketch has its knobs.
std::optional<space::Point> continued(const Sketch& sketch, const space::Solver& solver,
                                      const Replayed& before) {
  std::vector<space::Constraint> same;
  for (std::size_t i = 0; i < sketch.knobs.size(); ++i)
    if (const auto known = before.numbers.find(sketch.knobs[i].var); known != before.numbers.end())
      same.push_back(is(solver.system(), sketch.system.knobs()[i], known->second));
  const space::Found found = solver.solve(same, 1);
  return found.answer == space::Answer::yes ? std::optional(found.point) : std::nullopt;
}

limits::Numbers numbers_at(const Sketch& sketch, const space::Point& point) {
  limits::Numbers numbers;
  for (std::size_t i = 0; i < sketch.knobs.size(); ++i)
    numbers.emplace(sketch.knobs[i].var, point[static_cast<std::size_t>(sketch.system.knobs()[i].index)]);
  return numbers;
}

}  // namespace

std::vector<Replayed> judge(const Sketch& sketch, const space::Solver& solver,
                            const std::vector<Replayed>& before) {
  std::vector<Replayed> tried;
  if (!sketch.deferred.empty()) {
    tried = judge_at(sketch, witnesses(solver));
  } else {
    std::vector<space::Point> points = witnesses(solver, few);
    for (std::size_t i = 0; i < points.size() && i < before.size(); ++i)
      if (auto same = continued(sketch, solver, before[i])) points[i] = *std::move(same);
    tried = judge_at(sketch, points, before);
  }
  if (tried.size() > few) tried.erase(tried.begin(), tried.end() - few);
  return tried;
}

std::vector<Replayed> judge_at(const Sketch& sketch, const std::vector<space::Point>& points,
                               const std::vector<Replayed>& before) {
  std::vector<Replayed> tried;
  std::optional<std::string> accepted, refused, reason;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const space::Point& point = points[i];
    try {
      const schedule::Schedule replayed =
          materialise(sketch, point, i < before.size() ? before[i].steps : schedule::Schedule::History());
      tried.push_back({numbers_at(sketch, point), replayed.history()});
      accepted = to_string(sketch.system, point);
    } catch (const Error& error) {
      if (refused) continue;
      refused = to_string(sketch.system, point);
      reason = error.what();
    }
  }
  if (!refused) return tried;
  fail("the sketch of {} is refused with {}: {}; {}", sketch.program.name, *refused, *reason,
       accepted ? fmt::format("with {} it is accepted: post a constraint that tells the two apart", *accepted)
                : "so it is with all numbers that were tried: take the step out");
}

std::string to_string(const space::System& system, const space::Point& point) {
  std::vector<std::string> parts;
  for (const space::Var knob : system.knobs())
    parts.push_back(fmt::format("{} = {}", system[knob].name, point[static_cast<std::size_t>(knob.index)]));
  return join(parts, ", ");
}

}  // namespace ardea::rules
