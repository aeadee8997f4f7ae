#include "ardea/cli/space_explain.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <sstream>

#include "ardea/cli/commands.h"
#include "ardea/cli/output.h"
#include "ardea/rules/witnesses.h"
#include "ardea/space/explain.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::cli {

namespace {

using space::System;

/// Numbers by name.
using GivenNumbers = std::map<std::string, std::int64_t>;

std::optional<std::int64_t> integer_in(const std::string& text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

GivenNumbers numbers_in(const std::string& text) {
  GivenNumbers given;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t at = part.find('=');
    const auto value = at == std::string::npos ? std::nullopt : integer_in(part.substr(at + 1));
    require(value.has_value(), "--explain {}: \"{}\" is not NAME=NUMBER", text, part);
    require(given.emplace(part.substr(0, at), *value).second, "--explain {}: {} has two values", text,
            part.substr(0, at));
  }
  return given;
}

/// Takes "sketch=N" out; the first where nothing is said.
const System& system_asked(const rules::ProgramSpace& space, GivenNumbers& given, const std::string& text) {
  std::size_t which = 0;
  if (const auto sketch = given.find("sketch"); sketch != given.end()) {
    require(sketch->second >= 0 && sketch->second < std::ssize(space.sketches),
            "--explain {}: there is no sketch {}; they are 0 to {}", text, sketch->second,
            space.sketches.size() - 1);
    which = static_cast<std::size_t>(sketch->second);
    given.erase(sketch);
  }
  return space.sketches[which].sketch.system;
}

std::string knob_names(const System& system) {
  std::vector<std::string> names;
  for (const space::Var knob : system.knobs()) names.push_back(system[knob].name);
  return join(names, ", ");
}

int explain_whole(const System& system, const GivenNumbers& given) {
  space::Point point(system.variables().size(), 0);
  for (const auto& [name, value] : given) point[static_cast<std::size_t>(system.get(name).index)] = value;
  const space::PointReport report = space::explain(system, point);
  write_out(space::in_words(system, point, report));
  return report.is_solution() ? exit_ok : exit_disagrees;
}

int explain_part(const System& system, const GivenNumbers& given) {
  bool is_inside = true;
  std::vector<space::Constraint> asked;
  for (const auto& [name, value] : given) {
    const space::Var knob = system.get(name);
    if (!system[knob].domain.contains(value)) {
      write_out(fmt::format("{} is {}, which is not in {}\n", name, value, system[knob].domain.to_string()));
      is_inside = false;
    }
    asked.push_back(space::equals(system, knob, value));
  }
  if (!is_inside) return exit_disagrees;
  const space::Engine engine(system);
  space::Engine::Scratch scratch(engine);
  const space::Found found = space::find_solution(
      engine, scratch, asked, [](int, std::vector<std::int64_t>&) {}, space::SearchLimits{});
  if (found.answer == space::Answer::yes) {
    write_out(
        fmt::format("There are solutions with it, such as {}.\n", rules::to_string(system, found.point)));
    return exit_ok;
  }
  const auto conflict = space::why_unsatisfiable(system, asked);
  write_out(conflict ? "No solution has these values. " + space::in_words(system, *conflict)
                     : "Whether a solution has these values is not decided within the limits of the search; "
                       "give more of them.\n");
  return exit_disagrees;
}

}  // namespace

int explain(const rules::ProgramSpace& space, const std::string& text) {
  GivenNumbers given = numbers_in(text);
  const System& system = system_asked(space, given, text);
  require(!given.empty(), "--explain \"{}\": it says no number; the knobs are {}", text, knob_names(system));
  for (const auto& [name, value] : given) {
    const auto variable = system.find(name);
    require(variable.has_value(), "--explain {}: there is no knob {}; they are {}", text, name,
            knob_names(system));
    require(system[*variable].is_knob(), "--explain {}: {} follows from the knobs; leave it out", text, name);
  }
  return given.size() == system.knobs().size() ? explain_whole(system, given) : explain_part(system, given);
}

}  // namespace ardea::cli
