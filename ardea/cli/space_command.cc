#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ardea/cli/commands.h"
#include "ardea/cli/interrupt.h"
#include "ardea/cli/output.h"
#include "ardea/cli/progress.h"
#include "ardea/cli/script_space.h"
#include "ardea/cli/space_check.h"
#include "ardea/cli/space_explain.h"
#include "ardea/cli/space_plot.h"
#include "ardea/cli/space_report.h"
#include "ardea/runtime/time_evaluator.h"
#include "ardea/support/error.h"
#include "ardea/support/whole_file.h"

namespace ardea::cli {

namespace {

using rules::ProgramSpace;

ProgramSpace space_of(const SpaceOptions& options, const Program& given, const target::Target& target) {
  const std::string& file = options.program.schedule;
  const rules::SpaceOptions made{.sketch = {.within_cache = options.within_cache}};
  ProgramSpace space =
      file.empty() ? rules::program_space(given.module.functions[0], target, rules::rules_for(target), made)
                   : script_space(given.module.functions[0], target, file, made);
  if (!options.sketch) return space;
  require(*options.sketch >= 0 && *options.sketch < std::ssize(space.sketches),
          "--sketch {}: there is none; they are 0 to {}", *options.sketch, space.sketches.size() - 1);
  rules::SolvedSketch only = std::move(space.sketches[static_cast<std::size_t>(*options.sketch)]);
  space.sketches.clear();
  space.sketches.push_back(std::move(only));
  space.left_out.clear();
  space.not_followed = 0;
  return space;
}

/// Tries the samples, as many as there is patience for.
void check(SpaceReport& report, std::uint64_t seed) {
  const PointCheck check(report.space, seed);
  std::vector<std::optional<std::string>> faults;
  {
    const Interrupt interrupt;
    Progress progress("check", report.samples.size());
    faults = check.faults_of(report.samples, [&](std::size_t checked, std::size_t invalid) {
      progress.tell(checked, invalid);
      return !interrupt.is_asked_for();
    });
  }
  report.invalid.emplace();
  for (std::size_t i = 0; i < faults.size(); ++i) {
    if (!faults[i])
      ++report.not_checked;
    else if (!faults[i]->empty())
      report.invalid->push_back({report.samples[i], *std::move(faults[i])});
  }
}

}  // namespace

int space(const SpaceOptions& options) {
  ProgramOptions plain = options.program;
  require(plain.schedule != "none" && plain.schedule != "recipe",
          "space {}: --schedule {} leaves nothing to choose; leave it out for the rules' space, or give a "
          "script whose sampling steps are the choices",
          plain.program, plain.schedule);
  require(options.samples >= 0, "--sample {}: must be at least 0", options.samples);
  require(options.samples > 0 || !options.check, "space {}: --check tries samples; add --sample N",
          plain.program);
  require(options.samples > 0 || options.csv.empty(), "space {}: --csv writes samples; add --sample N",
          plain.program);
  plain.schedule = "none";
  const target::Target target = target::find(options.target);
  require(!options.within_cache ||
              std::any_of(target.caches.begin(), target.caches.end(),
                          [&](const target::Cache& c) { return c.level == *options.within_cache; }),
          "--within-cache {}: {} has caches {}", options.within_cache.value_or(0), target.name,
          target.caches.empty() ? "of no level" : fmt::format("1 to {}", target.caches.back().level));
  const Program given = load_program(plain, target);
  require(given.module.functions.size() == 1, "space {}: it has {} functions, a schedule is for one",
          given.title, given.module.functions.size());
  const ProgramSpace space = space_of(options, given, target);
  if (options.explain) return explain(space, *options.explain);

  const std::string by = options.program.schedule.empty() ? "" : " by " + options.program.schedule;
  SpaceReport report{given.title + by, space, space.counts(options.seed + 1)};
  report.count = rules::sum_of(report.counts);
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
  if (options.check) check(report, options.seed);
  if (options.json)
    write_out(as_json(report).dump(2) + "\n");
  else if (options.count)
    write_out(report.count.exact ? fmt::format("{}\n", *report.count.exact)
                                 : fmt::format("{:.6g}\n", report.count.value));
  else
    write_out(in_words(report, options.show));
  if (report.invalid && !report.invalid->empty()) return exit_disagrees;
  return report.not_checked > 0 ? exit_interrupted : exit_ok;
}

}  // namespace ardea::cli
