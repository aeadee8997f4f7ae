#include "ardea/cli/space_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ardea/ir/equal.h"
#include "ardea/ir/print.h"
#include "ardea/rules/footprints.h"
#include "ardea/rules/witnesses.h"
#include "ardea/runtime/thread_pool.h"
#include "ardea/space/print.h"
#include "ardea/support/text.h"

namespace ardea::cli {

namespace {

using rules::Choice;
using rules::ProgramSpace;
using rules::Sketch;
using rules::SolvedSketch;
using space::System;

std::string in_words(const space::Count& count) {
  return count.exact ? fmt::format("{} points", *count.exact)
                     : fmt::format("about {:.3g} points (± {:.2g})", count.value, count.error);
}

std::int64_t value_at(const Choice& choice, space::Var var) {
  return choice.point[static_cast<std::size_t>(var.index)];
}

/// "4 knobs, 16 variables, 12 constraints".
std::string sizes_of(const System& system) {
  return fmt::format("{} knobs, {} variables, {} constraints", system.knobs().size(),
                     system.variables().size(), system.constraints().size());
}

bool is_as_written(const ProgramSpace& space) {
  const Sketch& sketch = space.sketches[0].sketch;
  return space.sketches.size() == 1 && sketch.knobs.empty() &&
         first_difference(sketch.program, sketch.symbolic).empty();
}

using SoftVariables = std::vector<rules::SoftVariable>;

/// Of each sketch. They are many questions: all threads ask them.
std::vector<SoftVariables> soft_variables(const ProgramSpace& space) {
  std::vector<SoftVariables> all(space.sketches.size());
  space::for_each_slot(runtime::ThreadPool::shared().thread_count(), all.size(), [&](int, std::size_t i) {
    all[i] = rules::footprints_of(space.sketches[i].sketch, space.target);
  });
  return all;
}

std::string shown(const SolvedSketch& solved, const SoftVariables& soft_variables, bool with_program) {
  const Sketch& sketch = solved.sketch;
  std::string text = with_program ? print(sketch.symbolic) : std::string();
  text += space::print(sketch.system);
  if (sketch.model)
    text += fmt::format("the model chooses {}\n", rules::to_string(sketch.system, *sketch.model));
  for (const rules::SoftVariable& soft : soft_variables)
    text += fmt::format("{} = {}  (bytes that an iteration of {} touches)\n", soft.name,
                        soft.footprint.bytes.defined() ? print(soft.footprint.bytes) : "not known",
                        soft.footprint.loop.name());
  text += fmt::format("solved by {}; {} questions are left to the replay\n", solved.solver->why(),
                      sketch.deferred.size());
  return text;
}

nlohmann::json knobs_json(const ProgramSpace& space, const Choice& choice) {
  nlohmann::json values = {{"sketch", choice.sketch}};
  const System& system = space.sketches[choice.sketch].sketch.system;
  for (const space::Var knob : system.knobs()) values[system[knob].name] = value_at(choice, knob);
  return values;
}

nlohmann::json ways_json(const std::vector<rules::Way>& ways) {
  nlohmann::json all = nlohmann::json::object();
  for (const rules::Way& way : ways) all[way.question] = way.answers[way.taken];
  return all;
}

void add_system(nlohmann::json& answer, const System& system, std::size_t sketch) {
  for (const space::Var knob : system.knobs())
    answer["knobs"].push_back(
        {{"sketch", sketch}, {"name", system[knob].name}, {"values", system[knob].domain.to_string()}});
  for (std::size_t i = 0; i < system.constraints().size(); ++i) {
    const space::Constraint& c = system.constraints()[i];
    answer["constraints"].push_back({{"sketch", sketch},
                                     {"name", c.name},
                                     {"text", space::print(system, c)},
                                     {"reason", c.reason},
                                     {"defines", system.is_definition(static_cast<int>(i))}});
  }
}

void add_footprints(nlohmann::json& answer, const SoftVariables& soft, const target::Target& target,
                    std::size_t sketch) {
  for (const auto& [name, footprint] : soft) {
    nlohmann::json entry = {{"sketch", sketch},
                            {"name", name},
                            {"level", footprint.level},
                            {"block", footprint.block},
                            {"loop", footprint.loop.name()},
                            {"bytes", nullptr}};
    if (footprint.bytes.defined()) entry["bytes"] = print(footprint.bytes);
    if (const target::Cache* cache = target.cache(footprint.level)) entry["cache_bytes"] = cache->bytes;
    answer["footprints"].push_back(std::move(entry));
  }
}

/// The knobs of a sample, and what follows from them.
nlohmann::json sample_json(const ProgramSpace& space, const Choice& choice, const SoftVariables& soft) {
  nlohmann::json sample = knobs_json(space, choice);
  nlohmann::json footprints = nlohmann::json::object();
  for (const rules::SoftVariable& variable : soft)
    if (const auto bytes = rules::value_at(variable, space.sketches[choice.sketch].sketch, choice.point))
      footprints[variable.name] = *bytes;
  sample["footprints"] = std::move(footprints);
  return sample;
}

}  // namespace

std::string to_string(const ProgramSpace& space, const Choice& choice) {
  const std::string knobs = rules::to_string(space.sketches[choice.sketch].sketch.system, choice.point);
  return space.sketches.size() == 1 ? knobs : fmt::format("sketch = {}, {}", choice.sketch, knobs);
}

std::string in_words(const SpaceReport& report, bool show) {
  const ProgramSpace& space = report.space;
  const std::vector<SoftVariables> soft = show ? soft_variables(space) : std::vector<SoftVariables>();
  std::string text = fmt::format("{} on {}: ", report.title, space.target.name);
  if (space.sketches.size() == 1) {
    text += fmt::format("{}; {}\n", sizes_of(space.sketches[0].sketch.system), in_words(report.count));
    if (is_as_written(space))
      text += fmt::format("no rule serves it on {}: the one point is the program as it is written\n",
                          space.target.name);
    if (show) text += shown(space.sketches[0], soft[0], true);
  } else {
    text += fmt::format("{} sketches, {}\n", space.sketches.size(), in_words(report.count));
    for (std::size_t i = 0; i < space.sketches.size(); ++i) {
      const SolvedSketch& solved = space.sketches[i];
      text += fmt::format("sketch {} ({}): {}; {}\n", i, rules::to_string(solved.sketch.ways),
                          sizes_of(solved.sketch.system), in_words(report.counts[i]));
      if (show) text += shown(solved, soft[i], false);
    }
  }
  for (const rules::LeftOut& out : space.left_out)
    text += fmt::format("left out ({}): {}\n", rules::to_string(out.ways), out.reason);
  if (space.not_followed > 0)
    text += fmt::format("{} or more ways that differ more from the model's were not followed\n",
                        space.not_followed);
  for (const Choice& choice : report.samples) text += to_string(space, choice) + "\n";
  if (!report.invalid) return text;
  for (const Invalid& invalid : *report.invalid)
    text += fmt::format("INVALID with {}: {}\n", to_string(space, invalid.choice), invalid.fault);
  const std::size_t checked = report.samples.size() - report.not_checked;
  text += fmt::format("check: {} of {} samples apply, fit and agree with the program as written\n",
                      checked - report.invalid->size(), checked);
  if (report.not_checked > 0)
    text += fmt::format("interrupted: {} samples were not checked\n", report.not_checked);
  return text;
}

nlohmann::json as_json(const SpaceReport& report) {
  const ProgramSpace& space = report.space;
  nlohmann::json none = nlohmann::json::array();
  nlohmann::json answer = {{"program", report.title},
                           {"target", space.target.name},
                           {"sketches", none},
                           {"variables", 0},
                           {"knobs", none},
                           {"constraints", none},
                           {"footprints", none},
                           {"count", report.count.value},
                           {"count_error", report.count.error},
                           {"count_is_exact", report.count.exact.has_value()},
                           {"samples", none},
                           {"deferred", none},
                           {"left_out", none},
                           {"not_followed", space.not_followed}};
  const std::vector<SoftVariables> soft = soft_variables(space);
  std::size_t variables = 0;
  for (std::size_t i = 0; i < space.sketches.size(); ++i) {
    const SolvedSketch& solved = space.sketches[i];
    const space::Count& count = report.counts[i];
    nlohmann::json sketch = {{"ways", ways_json(solved.sketch.ways)},
                             {"variables", solved.sketch.system.variables().size()},
                             {"count", count.value},
                             {"count_is_exact", count.exact.has_value()},
                             {"solved_by", solved.solver->why()}};
    if (solved.sketch.model) sketch["model"] = knobs_json(space, {i, *solved.sketch.model});
    answer["sketches"].push_back(std::move(sketch));
    variables += solved.sketch.system.variables().size();
    add_system(answer, solved.sketch.system, i);
    add_footprints(answer, soft[i], space.target, i);
    for (const schedule::Refusal& refusal : solved.sketch.deferred)
      answer["deferred"].push_back({{"sketch", i}, {"question", refusal.fact}});
  }
  answer["variables"] = variables;
  for (const rules::LeftOut& out : space.left_out)
    answer["left_out"].push_back({{"ways", ways_json(out.ways)}, {"reason", out.reason}});
  for (const Choice& choice : report.samples)
    answer["samples"].push_back(sample_json(space, choice, soft[choice.sketch]));
  if (report.invalid) {
    answer["valid"] = report.samples.size() - report.not_checked - report.invalid->size();
    answer["not_checked"] = report.not_checked;
    answer["failures"] = none;
    for (const Invalid& invalid : *report.invalid)
      answer["failures"].push_back({{"point", knobs_json(space, invalid.choice)}, {"fault", invalid.fault}});
  }
  if (report.seconds > 0 && !report.samples.empty())
    answer["samples_per_s"] = static_cast<double>(report.samples.size()) / report.seconds;
  return answer;
}

std::string as_csv(const SpaceReport& report) {
  const ProgramSpace& space = report.space;
  std::vector<std::string> names;
  for (const SolvedSketch& solved : space.sketches)
    for (const space::Variable& variable : solved.sketch.system.variables())
      if (variable.is_knob() && std::find(names.begin(), names.end(), variable.name) == names.end())
        names.push_back(variable.name);
  const std::vector<SoftVariables> soft = soft_variables(space);
  for (const SoftVariables& of_sketch : soft)
    for (const rules::SoftVariable& variable : of_sketch)
      if (std::find(names.begin(), names.end(), variable.name) == names.end()) names.push_back(variable.name);
  const bool several = space.sketches.size() > 1;
  std::string text = (several ? "sketch," : "") + join(names, ",") + "\n";
  for (const Choice& choice : report.samples) {
    const System& system = space.sketches[choice.sketch].sketch.system;
    const auto soft_value = [&](const std::string& name) -> std::optional<std::int64_t> {
      for (const rules::SoftVariable& variable : soft[choice.sketch])
        if (variable.name == name)
          return rules::value_at(variable, space.sketches[choice.sketch].sketch, choice.point);
      return std::nullopt;
    };
    std::vector<std::string> values;
    if (several) values.push_back(std::to_string(choice.sketch));
    for (const std::string& name : names) {
      const auto var = system.find(name);
      const std::optional<std::int64_t> value =
          var ? std::optional(value_at(choice, *var)) : soft_value(name);
      values.push_back(value ? std::to_string(*value) : "");
    }
    text += join(values, ",") + "\n";
  }
  return text;
}

}  // namespace ardea::cli
