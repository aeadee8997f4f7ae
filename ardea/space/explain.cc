#include "ardea/space/explain.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/space/evaluate.h"
#include "ardea/space/print.h"
#include "ardea/support/text.h"

namespace ardea::space {
namespace {

/// Whether subsets of a system's constraints can hold together.
class Subsets {
 public:
  Subsets(const System& system, std::vector<Constraint> asked, std::vector<int> background,
          const SearchLimits& limits)
      : system_(system), asked_(std::move(asked)), background_(std::move(background)), limits_(limits) {}

  /// Proved to be impossible. A question that meets its limit counts as possible: the constraint in question
  /// is kept.
  bool impossible(const std::vector<int>& chosen) {
    std::vector<bool> enabled(system_.constraints().size(), false);
    for (const int c : background_) enabled[static_cast<std::size_t>(c)] = true;
    for (const int c : chosen) enabled[static_cast<std::size_t>(c)] = true;
    const Engine engine(system_, &enabled);
    Engine::Scratch scratch(engine);
    const ValueOrder as_they_come = [](int, std::vector<std::int64_t>&) {};
    const Answer answer = find_solution(engine, scratch, asked_, as_they_come, limits_).answer;
    undecided_ = undecided_ || answer == Answer::undecided;
    return answer == Answer::no;
  }
  bool undecided() const { return undecided_; }

  /// QuickXplain: a minimal part of `open` that cannot hold together with `kept`.
  std::vector<int> minimal(const std::vector<int>& kept, bool kept_grew, const std::vector<int>& open) {
    if (kept_grew && impossible(kept)) return {};
    if (open.size() == 1) return open;
    const auto middle = open.begin() + static_cast<std::ptrdiff_t>(open.size() / 2);
    const std::vector<int> first(open.begin(), middle), second(middle, open.end());
    const std::vector<int> of_second = minimal(joined(kept, first), true, second);
    const std::vector<int> of_first = minimal(joined(kept, of_second), !of_second.empty(), first);
    return joined(of_first, of_second);
  }

  static std::vector<int> joined(std::vector<int> a, const std::vector<int>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

 private:
  const System& system_;
  std::vector<Constraint> asked_;
  std::vector<int> background_;
  SearchLimits limits_;
  bool undecided_ = false;
};

/// The definitions that the constraints' variables rest on.
std::vector<int> definitions_below(const System& system, const std::vector<int>& constraints,
                                   const std::vector<Constraint>& asked) {
  std::vector<bool> needed(system.constraints().size(), false);
  std::vector<Var> open;
  const auto add = [&](const Constraint& constraint) {
    const std::vector<Var> variables = variables_of(constraint);
    open.insert(open.end(), variables.begin(), variables.end());
  };
  for (const int c : constraints) add(system.constraints()[static_cast<std::size_t>(c)]);
  for (const Constraint& constraint : asked) add(constraint);
  while (!open.empty()) {
    const int definition = system[open.back()].definition;
    open.pop_back();
    if (definition < 0 || needed[static_cast<std::size_t>(definition)]) continue;
    needed[static_cast<std::size_t>(definition)] = true;
    add(system.constraints()[static_cast<std::size_t>(definition)]);
  }
  std::vector<int> result;
  for (std::size_t c = 0; c < needed.size(); ++c)
    if (needed[c] &&
        std::find(constraints.begin(), constraints.end(), static_cast<int>(c)) == constraints.end())
      result.push_back(static_cast<int>(c));
  return result;
}

std::string line_of(const System& system, int c) {
  const Constraint& constraint = system.constraints()[static_cast<std::size_t>(c)];
  const std::string reason = constraint.reason.empty() ? "" : " (" + constraint.reason + ")";
  return fmt::format("{}: {}{}", constraint.name, print(system, constraint), reason);
}

/// Calls `try_value` with the values of a set, nearest first, until it answers true or `most` were tried.
template <class Try>
std::optional<std::int64_t> nearest_value(const Domain& set, std::int64_t to, int most, Try&& try_value) {
  auto below = set.at_most(to), above = set.at_least(to);
  if (below && above && *below == *above) above = to < largest_value ? set.at_least(to + 1) : std::nullopt;
  while ((below || above) && most-- > 0) {
    const bool down = below && (!above || to - *below <= *above - to);
    const std::int64_t value = down ? *below : *above;
    if (try_value(value)) return value;
    if (down)
      below = set.at_most(value - 1);
    else
      above = set.at_least(value + 1);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Conflict> why_unsatisfiable(const System& system, const std::vector<Constraint>& asked,
                                          const SearchLimits& limits) {
  std::vector<Constraint> extra;
  for (const Constraint& constraint : asked) extra.push_back(system.canonical(constraint));
  std::vector<int> posted, definitions;
  for (int c = 0; c < static_cast<int>(system.constraints().size()); ++c)
    (system.is_definition(c) ? definitions : posted).push_back(c);

  Subsets subsets(system, extra, definitions, limits);
  if (!subsets.impossible(posted)) return std::nullopt;
  Conflict conflict;
  if (!subsets.impossible({})) {
    conflict.constraints = subsets.minimal({}, false, posted);
    conflict.minimal = !subsets.undecided();
  } else {
    // The definitions alone, with the domains of what they define, leave nothing.
    Subsets meanings(system, extra, {}, limits);
    if (!meanings.impossible({})) conflict.constraints = meanings.minimal({}, false, definitions);
    conflict.minimal = !meanings.undecided();
  }
  std::sort(conflict.constraints.begin(), conflict.constraints.end());
  conflict.definitions = definitions_below(system, conflict.constraints, extra);
  return conflict;
}

Constraint equals(const System& system, Var v, std::int64_t value) {
  return system.canonical({"asked", "", {}, Linear{{{1, v}}, 0, Relation::eq, value}});
}

std::optional<Conflict> why_not(const System& system, Var variable, std::int64_t value,
                                const SearchLimits& limits) {
  return why_unsatisfiable(system, {equals(system, variable, value)}, limits);
}

PointReport explain(const System& system, const Point& asked, const SearchLimits& limits) {
  PointReport report;
  Point point = asked;
  bool has_values = false;
  if (const auto completed = complete(system, asked)) {
    point = *completed;
    has_values = true;
  }
  for (std::size_t v = 0; v < point.size(); ++v) {
    const Variable& variable = system.variables()[v];
    if ((variable.is_knob() || has_values) && !variable.domain.contains(point[v]))
      report.outside.push_back({static_cast<int>(v)});
  }
  for (std::size_t c = 0; c < system.constraints().size(); ++c)
    if (!holds(system.constraints()[c], point)) report.broken.push_back(static_cast<int>(c));

  const Engine engine(system);
  Engine::Scratch scratch(engine);
  constexpr int most_tried = 10'000;
  const ValueOrder near = nearest_to(point);
  for (const Var knob : system.knobs()) {
    const auto k = static_cast<std::size_t>(knob.index);
    PointReport::Nearest nearest{knob, point[k], std::nullopt, std::nullopt};
    if (engine.satisfiable()) {
      const Domain& possible = engine.layout().domain(knob.index);
      nearest.alone = nearest_value(possible, point[k], most_tried, [&](std::int64_t value) {
        Point moved = point;
        moved[k] = value;
        const auto whole = complete(system, std::move(moved));
        return whole && is_solution(system, *whole);
      });
      if (!nearest.alone)
        nearest.at_all = nearest_value(possible, point[k], most_tried, [&](std::int64_t value) {
          const std::vector<Constraint> asked = {equals(system, knob, value)};
          return find_solution(engine, scratch, asked, near, limits).answer == Answer::yes;
        });
    }
    report.nearest.push_back(nearest);
  }
  // Knob by knob: each keeps its value where the ones before leave it, else takes the nearest.
  std::vector<Constraint> kept;
  for (const Var knob : system.knobs()) {
    if (!engine.satisfiable()) break;
    const auto k = static_cast<std::size_t>(knob.index);
    const auto value =
        nearest_value(engine.layout().domain(knob.index), point[k], most_tried, [&](std::int64_t v) {
          kept.push_back(equals(system, knob, v));
          const Found found = find_solution(engine, scratch, kept, near, limits);
          if (found.answer == Answer::yes) {
            report.repaired = found.point;
            return true;
          }
          kept.pop_back();
          return false;
        });
    if (!value) {
      report.repaired.reset();
      break;
    }
  }
  return report;
}

std::string in_words(const System& system, const Conflict& conflict) {
  std::string out = conflict.minimal
                        ? "These constraints cannot hold together; without any one of them the others can:\n"
                        : "These constraints cannot hold together (some may not be needed for that):\n";
  if (conflict.constraints.empty()) out = "The domains of the variables leave no value:\n";
  for (const int c : conflict.constraints) out += "  " + line_of(system, c) + "\n";
  for (const int c : conflict.definitions) out += "  where " + line_of(system, c) + "\n";
  std::vector<int> shown;
  for (const std::vector<int>* list : {&conflict.constraints, &conflict.definitions})
    for (const int c : *list)
      for (const Var v : variables_of(system.constraints()[static_cast<std::size_t>(c)]))
        if (system[v].is_knob() && std::find(shown.begin(), shown.end(), v.index) == shown.end())
          shown.push_back(v.index);
  std::sort(shown.begin(), shown.end());
  for (const int v : shown) {
    const Variable& variable = system.variables()[static_cast<std::size_t>(v)];
    out += fmt::format("  with {} in {}{}\n", variable.name, variable.domain.to_string(),
                       variable.reason.empty() ? "" : " (" + variable.reason + ")");
  }
  return out;
}

std::string in_words(const System& system, const Point& point, const PointReport& report) {
  if (report.is_solution()) return "The point is a solution.\n";
  std::string out;
  const auto completed = complete(system, point);
  const Point& values = completed ? *completed : point;
  for (const Var v : report.outside)
    out += fmt::format("{} is {}, which is not in {}\n", system[v].name,
                       values[static_cast<std::size_t>(v.index)], system[v].domain.to_string());
  for (const int c : report.broken) {
    std::vector<std::string> parts;
    for (const Var v : variables_of(system.constraints()[static_cast<std::size_t>(c)]))
      parts.push_back(fmt::format("{} = {}", system[v].name, values[static_cast<std::size_t>(v.index)]));
    out += fmt::format("breaks {}; here {}\n", line_of(system, c), join(parts, ", "));
  }
  for (const PointReport::Nearest& n : report.nearest) {
    if (n.alone)
      out += n.alone == n.value ? ""
                                : fmt::format("{} = {} alone would make it a solution (it is {})\n",
                                              system[n.knob].name, *n.alone, n.value);
    else if (n.at_all && *n.at_all != n.value)
      out += fmt::format("{} = {} is in no solution; the nearest value that is in one is {}\n",
                         system[n.knob].name, n.value, *n.at_all);
  }
  if (report.repaired) {
    std::vector<std::string> changes;
    for (const Var knob : system.knobs()) {
      const auto k = static_cast<std::size_t>(knob.index);
      if ((*report.repaired)[k] != point[k])
        changes.push_back(fmt::format("{} = {}", system[knob].name, (*report.repaired)[k]));
    }
    out += fmt::format("a solution near it: the same with {}\n", join(changes, ", "));
  } else {
    out += "no solution was found near it\n";
  }
  return out;
}

}  // namespace ardea::space
