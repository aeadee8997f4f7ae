#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "ardea/cli/backends.h"
#include "ardea/cli/commands.h"
#include "ardea/cli/output.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/print.h"
#include "ardea/limits/limits.h"
#include "ardea/lower/limits_of.h"
#include "ardea/measure/check.h"
#include "ardea/measure/inputs.h"
#include "ardea/rules/witnesses.h"
#include "ardea/runtime/time_evaluator.h"
#include "ardea/schedule/canon.h"
#include "ardea/schedule/script.h"
#include "ardea/space/explain.h"
#include "ardea/space/print.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"
#include "ardea/support/text_file.h"
#include "ardea/support/whole_file.h"

namespace ardea::cli {

namespace {

using rules::Sketch;
using space::Point;
using space::System;

std::int64_t value_at(const Point& point, space::Var var) {
  return point[static_cast<std::size_t>(var.index)];
}

std::optional<std::int64_t> integer_in(const std::string& text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

/// "i_0=4,i_1=3": every knob once.
Point point_of(const System& system, const std::string& text) {
  std::map<std::string, std::int64_t> given;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t at = part.find('=');
    const auto value = at == std::string::npos ? std::nullopt : integer_in(part.substr(at + 1));
    require(value.has_value(), "--explain {}: \"{}\" is not NAME=NUMBER", text, part);
    const space::Var var = system.get(part.substr(0, at));
    require(system[var].is_knob(), "--explain {}: {} follows from the knobs; leave it out", text,
            system[var].name);
    require(given.emplace(system[var].name, *value).second, "--explain {}: {} has two values", text,
            system[var].name);
  }
  Point point(system.variables().size(), 0);
  for (const space::Var knob : system.knobs()) {
    const auto at = given.find(system[knob].name);
    require(at != given.end(), "--explain {}: it has no value for {}", text, system[knob].name);
    point[static_cast<std::size_t>(knob.index)] = at->second;
  }
  return point;
}

/// What is wrong with a point, in a sentence; empty where nothing is: it applies, is the sketch with its
/// numbers, takes of the machine what was predicted, and computes what the program does.
std::string fault_of(const Sketch& sketch, const Point& point, const target::Target& target,
                     const std::vector<interp::Argument>& given) {
  try {
    const Function program = rules::materialise(sketch, point).program();
    std::vector<std::pair<Var, std::int64_t>> numbers;
    limits::Numbers values;
    for (std::size_t i = 0; i < sketch.knobs.size(); ++i) {
      const std::int64_t value = value_at(point, sketch.system.knobs()[i]);
      numbers.emplace_back(sketch.knobs[i].var, value);
      values[sketch.knobs[i].var] = value;
    }
    const std::string apart = first_difference(
        schedule::canon(schedule::with_numbers(sketch.symbolic, numbers)), schedule::canon(program));
    if (!apart.empty()) return "the symbolic program is another one: " + apart;
    const auto predicted = limits::bounds_of(lower::limits_of(sketch.symbolic, target), target);
    const auto taken = limits::bounds_of(lower::limits_of(program, target), target);
    for (std::size_t i = 0; i < taken.size() && i < predicted.size(); ++i) {
      if (!taken[i].taken.defined() || !predicted[i].taken.defined()) continue;
      const auto was = limits::value_at(predicted[i].taken, values),
                 is = limits::value_at(taken[i].taken, {});
      if (was && is && *was < *is)
        return fmt::format("it takes {} {}, {} were predicted", *is, taken[i].name, *was);
    }
    const std::vector<interp::Argument> after = measure::copy_arguments(given);
    on_backend(program, target.name == target::host().name ? "llvm" : "interp").run(after);
    for (const measure::Comparison& c : measure::check(sketch.program, given, after).arguments)
      if (c.mismatches > 0)
        return fmt::format("{} is wrong in {} of {} elements", c.argument, c.mismatches, c.elements);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

std::string csv_of(const System& system, const std::vector<Point>& points) {
  std::vector<std::string> names;
  for (const space::Variable& variable : system.variables()) names.push_back(variable.name);
  std::string text = join(names, ",") + "\n";
  for (const Point& point : points) text += fmt::format("{}\n", fmt::join(point, ","));
  return text;
}

nlohmann::json knobs_json(const System& system, const Point& point) {
  nlohmann::json values = nlohmann::json::object();
  for (const space::Var knob : system.knobs()) values[system[knob].name] = value_at(point, knob);
  return values;
}

nlohmann::json constraints_json(const System& system) {
  nlohmann::json all = nlohmann::json::array();
  for (std::size_t i = 0; i < system.constraints().size(); ++i) {
    const space::Constraint& c = system.constraints()[i];
    all.push_back({{"name", c.name},
                   {"text", space::print(system, c)},
                   {"reason", c.reason},
                   {"defines", system.is_definition(static_cast<int>(i))}});
  }
  return all;
}

}  // namespace

int space(const SpaceOptions& options) {
  ProgramOptions plain = options.program;
  require(!plain.schedule.empty() && plain.schedule != "none" && plain.schedule != "recipe",
          "space {}: give a script whose sampling steps are the choices, --schedule FILE", plain.program);
  require(options.samples >= 0, "--sample {}: must be at least 0", options.samples);
  plain.schedule = "none";
  const target::Target target = target::find(options.target);
  const Program given = load_program(plain, target);
  require(given.module.functions.size() == 1, "space {}: it has {} functions, a schedule is for one",
          given.title, given.module.functions.size());
  const std::string& file = options.program.schedule;
  const auto steps = schedule::parse_steps(read_text_file(file), file);
  const Sketch sketch = rules::make_sketch(given.module.functions[0], target, [&](schedule::Schedule& s) {
    s.replay(steps, schedule::Schedule::Decisions::draw);
  });
  const System& system = sketch.system;
  require(!system.knobs().empty(), "space {}: {} samples nothing, so that there is nothing to choose",
          given.title, file);
  if (const auto conflict = space::why_unsatisfiable(system))
    fail("space {}: no choice fulfils all that {} needs:\n{}", given.title, file,
         space::in_words(system, *conflict));
  if (!options.explain.empty()) {
    const Point point = point_of(system, options.explain);
    const space::PointReport report = space::explain(system, point);
    write_out(space::in_words(system, point, report));
    return report.is_solution() ? exit_ok : exit_disagrees;
  }
  const space::Solver solver(system);
  rules::judge_at(sketch, rules::witnesses(solver));
  const space::Count count = solver.count(options.seed + 1);

  const double start = runtime::steady_seconds();
  const space::Samples samples = solver.sample(static_cast<std::size_t>(options.samples), options.seed);
  const double seconds = runtime::steady_seconds() - start;
  if (!samples.alarm.empty()) write_note(samples.alarm);
  if (!options.csv.empty()) {
    const std::string table = csv_of(system, samples.points);
    write_whole_file(options.csv, {table});
  }
  std::vector<std::pair<Point, std::string>> failures;
  if (options.check) {
    const auto arguments = measure::make_arguments(sketch.program, {.seed = options.seed});
    for (const Point& point : samples.points)
      if (const std::string fault = fault_of(sketch, point, target, arguments); !fault.empty())
        failures.emplace_back(point, fault);
  }

  if (options.json) {
    nlohmann::json knobs = nlohmann::json::array(), points = nlohmann::json::array(),
                   wrong = nlohmann::json::array(), deferred = nlohmann::json::array();
    for (const space::Var knob : system.knobs())
      knobs.push_back({{"name", system[knob].name}, {"values", system[knob].domain.to_string()}});
    for (const Point& point : samples.points) points.push_back(knobs_json(system, point));
    for (const auto& [point, fault] : failures)
      wrong.push_back({{"point", knobs_json(system, point)}, {"fault", fault}});
    for (const schedule::Refusal& refusal : sketch.deferred) deferred.push_back(refusal.fact);
    nlohmann::json answer = {{"program", given.title},
                             {"target", target.name},
                             {"sketches", 1},
                             {"variables", system.variables().size()},
                             {"knobs", knobs},
                             {"constraints", constraints_json(system)},
                             {"count", count.value},
                             {"count_is_exact", count.exact.has_value()},
                             {"solved_by", solver.why()},
                             {"samples", points},
                             {"deferred", deferred}};
    if (options.check) {
      answer["valid"] = samples.points.size() - failures.size();
      answer["failures"] = wrong;
    }
    if (seconds > 0 && !samples.points.empty())
      answer["samples_per_s"] = static_cast<double>(samples.points.size()) / seconds;
    write_out(answer.dump(2) + "\n");
    return failures.empty() ? exit_ok : exit_disagrees;
  }

  std::string text =
      fmt::format("{} by {} on {}: {} knobs, {} variables, {} constraints; ", given.title, file, target.name,
                  system.knobs().size(), system.variables().size(), system.constraints().size());
  text += count.exact ? fmt::format("{} points\n", *count.exact)
                      : fmt::format("about {:.3g} points (± {:.2g})\n", count.value, count.error);
  if (options.show)
    text += print(sketch.symbolic) + space::print(system) +
            fmt::format("solved by {}; {} questions are left to the replay\n", solver.why(),
                        sketch.deferred.size());
  for (const Point& point : samples.points) text += rules::to_string(system, point) + "\n";
  for (const auto& [point, fault] : failures)
    text += fmt::format("INVALID with {}: {}\n", rules::to_string(system, point), fault);
  if (options.check)
    text += fmt::format("check: {} of {} samples apply, fit and agree with the program as written\n",
                        samples.points.size() - failures.size(), samples.points.size());
  write_out(text);
  return failures.empty() ? exit_ok : exit_disagrees;
}

}  // namespace ardea::cli
