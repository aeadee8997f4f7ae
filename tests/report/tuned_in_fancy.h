#pragma once

#include <cmath>
#include <filesystem>

#include "ardea/db/database.h"
#include "ardea/ops/registry.h"
#include "ardea/rules/program_space.h"
#include "ardea/rules/trace_at.h"
#include "ardea/tune/task.h"

/// Databases for tests: real points of real spaces, with times that are invented.

namespace ardea::test {

struct Fancied {
  db::Task task;
  db::Trial best;
  Function best_program;  ///< as the space makes the point, not as its record is replayed
};

/// Adds `trials` trials of a run. The further the knobs of a point are from those of one that comes late, the
/// slower it is; one in eleven failed.
inline Fancied tune_in_fancy(const std::filesystem::path& path, const ops::Workload& workload, int threads,
                             int trials, const std::string& method = "random", std::uint64_t seed = 1) {
  const target::Target target = tune::on_threads(target::host(), threads);
  const Function program = ops::create_function(workload, "main");
  const rules::ProgramSpace space = rules::program_space(program, target, rules::rules_for(target));
  const auto choices = space.sample(static_cast<std::size_t>(trials), seed).choices;
  Fancied made{tune::task_of(program, ops::to_string(workload), target, threads), {}, {}};
  std::vector<db::Trial> all;
  const auto knobs_of = [&](const space::Choice& choice) {
    const space::System& system = space.sketches[choice.sketch].sketch.system;
    std::map<std::string, std::int64_t> knobs;
    for (const space::Var& knob : system.knobs())
      knobs[system[knob].name] = choice.point[static_cast<std::size_t>(knob.index)];
    return knobs;
  };
  const auto place = [](std::int64_t value) {
    return std::log2(static_cast<double>(std::max<std::int64_t>(value, 1)));
  };
  const space::Choice& home = choices.at(choices.size() * 3 / 4 / 11 * 11);
  const auto home_knobs = knobs_of(home);
  for (std::size_t n = 0; n < choices.size(); ++n) {
    const rules::Sketch& sketch = space.sketches[choices[n].sketch].sketch;
    db::Trial trial;
    trial.number = static_cast<std::int64_t>(n) + 1;
    trial.run = method + std::to_string(seed);
    trial.method = method;
    trial.seed = seed;
    trial.sketch = "sketch " + std::to_string(choices[n].sketch);
    trial.knobs = knobs_of(choices[n]);
    trial.trace = rules::trace_text(sketch, choices[n].point);
    trial.taken_at = 1'790'000'000 + static_cast<std::int64_t>(n);
    trial.elapsed_s = 0.4 * static_cast<double>(n + 1);
    double away = choices[n].sketch == home.sketch ? 0 : 2;
    for (const auto& [name, value] : trial.knobs)
      if (const auto at = home_knobs.find(name); at != home_knobs.end())
        away += std::abs(place(value) - place(at->second));
    const double seconds =
        2e-6 * (1 + 0.2 * away) * std::pow(static_cast<double>(ops::flops(workload)) / 1e5, 0.9);
    if (n % 11 == 10) {
      trial.outcome = n % 2 == 0 ? TrialOutcome::crashed : TrialOutcome::timed_out;
      trial.message = n % 2 == 0 ? "the process ended by signal 11" : "no answer came within 5 s";
    } else {
      trial.time = CallTime{seconds, 0.99 * seconds, 1.02 * seconds};
      if (n >= 8) trial.predicted = -std::log(seconds) + 0.3 * std::sin(static_cast<double>(7 * n));
    }
    all.push_back(trial);
    if (trial.time && (!made.best.time || seconds < made.best.time->median_s)) {
      made.best = trial;
      made.best_program = space.materialise(choices[n]).program();
    }
  }
  db::Database database = db::Database::create(path);
  database.add(database.add(made.task), all);
  return made;
}

}  // namespace ardea::test
