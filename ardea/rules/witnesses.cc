#include "ardea/rules/witnesses.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::rules {

namespace {

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
  constexpr std::size_t by_chance = 2;
  for (const space::Var knob : system.knobs())
    for (const bool is_largest : {false, true}) {
      if (all.size() + by_chance >= most) break;
      const Edge edge{knob, is_largest};
      if (const auto point = solution_at(solver, edge); point && !is_covered(edge, *point)) add(*point);
    }
  for (const space::Point& point : solver.sample(by_chance, 1).points) add(point);
  return all;
}

void judge_at(const Sketch& sketch, const std::vector<space::Point>& points) {
  std::optional<std::string> accepted, refused, reason;
  for (const space::Point& point : points) {
    try {
      materialise(sketch, point);
      accepted = to_string(sketch.system, point);
    } catch (const Error& error) {
      if (refused) continue;
      refused = to_string(sketch.system, point);
      reason = error.what();
    }
  }
  if (!refused) return;
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
