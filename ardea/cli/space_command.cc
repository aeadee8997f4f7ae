#include <fmt/format.h>

#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "ardea/cli/commands.h"
#include "ardea/cli/output.h"
#include "ardea/cli/space_check.h"
#include "ardea/cli/space_plot.h"
#include "ardea/cli/space_report.h"
#include "ardea/rules/define.h"
#include "ardea/runtime/time_evaluator.h"
#include "ardea/schedule/script.h"
#include "ardea/space/explain.h"
#include "ardea/support/error.h"
#include "ardea/support/text_file.h"
#include "ardea/support/whole_file.h"

namespace ardea::cli {

namespace {

using rules::ProgramSpace;
using space::Point;
using space::System;

std::optional<std::int64_t> integer_in(const std::string& text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

/// "i_0=4,i_1=3" or "sketch=2,C_rows=4": every knob once; the first sketch where none is said.
rules::Choice choice_of(const ProgramSpace& space, const std::string& text) {
  std::map<std::string, std::int64_t> given;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t at = part.find('=');
    const auto value = at == std::string::npos ? std::nullopt : integer_in(part.substr(at + 1));
    require(value.has_value(), "--explain {}: \"{}\" is not NAME=NUMBER", text, part);
    require(given.emplace(part.substr(0, at), *value).second, "--explain {}: {} has two values", text,
            part.substr(0, at));
  }
  rules::Choice choice;
  if (const auto sketch = given.find("sketch"); sketch != given.end()) {
    require(sketch->second >= 0 && sketch->second < std::ssize(space.sketches),
            "--explain {}: there is no sketch {}; they are 0 to {}", text, sketch->second,
            space.sketches.size() - 1);
    choice.sketch = static_cast<std::size_t>(sketch->second);
    given.erase(sketch);
  }
  const System& system = space.sketches[choice.sketch].sketch.system;
  for (const auto& [name, value] : given)
    require(system[system.get(name)].is_knob(), "--explain {}: {} follows from the knobs; leave it out", text,
            name);
  choice.point.assign(system.variables().size(), 0);
  for (const space::Var knob : system.knobs()) {
    const auto at = given.find(system[knob].name);
    require(at != given.end(), "--explain {}: it has no value for {}", text, system[knob].name);
    choice.point[static_cast<std::size_t>(knob.index)] = at->second;
  }
  return choice;
}

/// The choices of a script: the numbers that it samples, and what its cfg leaves open.
ProgramSpace script_space(const Program& given, const target::Target& target, const std::string& file) {
  const auto steps = rules::steps_of(schedule::parse_steps(read_text_file(file), file));
  ProgramSpace space = rules::program_space(given.module.functions[0], target, steps);
  require(space.sketches.size() > 1 || !space.sketches[0].sketch.system.knobs().empty(),
          "space {}: {} samples nothing and its cfg defines nothing, so that there is nothing to choose",
          given.title, file);
  return space;
}

ProgramSpace space_of(const SpaceOptions& options, const Program& given, const target::Target& target) {
  const std::string& file = options.program.schedule;
  ProgramSpace space = file.empty()
                           ? rules::program_space(given.module.functions[0], target, rules::rules_for(target))
                           : script_space(given, target, file);
  if (!options.sketch) return space;
  require(*options.sketch >= 0 && *options.sketch < std::ssize(space.sketches),
          "--sketch {}: there is none; they are 0 to {}", *options.sketch, space.sketches.size() - 1);
  rules::SolvedSketch only = std::move(space.sketches[static_cast<std::size_t>(*options.sketch)]);
  space.sketches.clear();
  space.sketches.push_back(std::move(only));
  space.left_out.clear();
  return space;
}

int explain(const ProgramSpace& space, const std::string& text) {
  const rules::Choice choice = choice_of(space, text);
  const System& system = space.sketches[choice.sketch].sketch.system;
  const space::PointReport report = space::explain(system, choice.point);
  write_out(space::in_words(system, choice.point, report));
  return report.is_solution() ? exit_ok : exit_disagrees;
}

}  // namespace

int space(const SpaceOptions& options) {
  ProgramOptions plain = options.program;
  require(plain.schedule != "none" && plain.schedule != "recipe",
          "space {}: --schedule {} leaves nothing to choose; leave it out for the rules' space, or give a "
          "script whose sampling steps are the choices",
          plain.program, plain.schedule);
  require(options.samples >= 0, "--sample {}: must be at least 0", options.samples);
  plain.schedule = "none";
  const target::Target target = target::find(options.target);
  const Program given = load_program(plain, target);
  require(given.module.functions.size() == 1, "space {}: it has {} functions, a schedule is for one",
          given.title, given.module.functions.size());
  const ProgramSpace space = space_of(options, given, target);
  if (!options.explain.empty()) return explain(space, options.explain);

  const std::string by = options.program.schedule.empty() ? "" : " by " + options.program.schedule;
  SpaceReport report{given.title + by, space, space.count(options.seed + 1)};
  const double start = runtime::steady_seconds();
  rules::Drawn drawn = space.sample(static_cast<std::size_t>(options.samples), options.seed);
  report.seconds = runtime::steady_seconds() - start;
  report.samples = std::move(drawn.choices);
  for (const std::string& alarm : drawn.alarms) write_note(alarm);
  if (!options.csv.empty()) {
    const std::string table = as_csv(report);
    write_whole_file(options.csv, {table});
  }
  if (!options.plot.empty()) {
    const std::string picture = plot(space, options.seed);
    write_whole_file(options.plot, {picture});
  }
  if (options.check) {
    const PointCheck check(space, options.seed);
    report.invalid.emplace();
    for (const rules::Choice& choice : report.samples)
      if (std::string fault = check.fault_of(choice); !fault.empty())
        report.invalid->push_back({choice, std::move(fault)});
  }
  if (options.json)
    write_out(as_json(report).dump(2) + "\n");
  else if (options.count)
    write_out(report.count.exact ? fmt::format("{}\n", *report.count.exact)
                                 : fmt::format("{:.6g}\n", report.count.value));
  else
    write_out(in_words(report, options.show));
  return report.invalid.value_or(std::vector<Invalid>{}).empty() ? exit_ok : exit_disagrees;
}

}  // namespace ardea::cli
