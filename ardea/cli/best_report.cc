#include "ardea/cli/best_report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ranges>

#include "ardea/arith/load.h"
#include "ardea/cli/records.h"
#include "ardea/ops/workload_line.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"
#include "ardea/tune/task.h"

namespace ardea::cli {

namespace {

using nlohmann::json;

/// Numbers by name; what is no number is left out.
std::map<std::string, double> numbers(const json& object) {
  std::map<std::string, double> all;
  if (object.is_object())
    for (const auto& [name, value] : object.items())
      if (value.is_number()) all.emplace(name, value.get<double>());
  return all;
}

std::string knobs_text(const db::Trial& trial) {
  std::vector<std::string> knobs;
  for (const auto& [name, value] : trial.knobs) knobs.push_back(fmt::format("{} = {}", name, value));
  return join(knobs, ", ");
}

/// "52.1 GFLOP/s, 91.3 % of the peak"
std::string rates_text(const Rates& rates) {
  std::string text = fmt::format("{:.3g} {}", rates.operations_per_s / 1e9, rate_unit(rates));
  if (rates.peak_operations)
    text += fmt::format(", {:.1f} % of the {} peak", 100 * rates.operations_per_s / *rates.peak_operations,
                        rates.peak_name.substr(0, rates.peak_name.find('_')));
  return text;
}

/// The program of a task as a command line would give it; nothing where its text is no program any more.
std::optional<Program> program_of(const db::Task& task) {
  try {
    Program program{.module = arith::load_program(task.program, task.workload), .title = title_of(task)};
    program.workload = ops::workload_of(task.workload);
    if (program.module.functions.size() != 1) return std::nullopt;
    return program;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::string title_of(const db::Task& task) {
  const auto workload = ops::workload_of(task.workload);
  const std::string title = workload ? ops::brief(*workload) : task.workload;
  return tune::is_prepacked(task) ? title + " prepacked" : title;
}

json newest_note(const db::Kept<db::Note>& notes, const std::string& name) {
  for (const db::Note& note : std::views::reverse(notes.sound))
    if (note.name == name) return json::parse(note.text, nullptr, false);
  return nullptr;
}

std::optional<Rates> rates_of(const db::Task& task, double seconds,
                              const std::optional<std::map<std::string, double>>& peaks) {
  const std::optional<Program> program = program_of(task);
  if (!program || seconds <= 0) return std::nullopt;
  const Function& f = program->module.functions[0];
  const auto work = program->workload
                        ? std::optional(measure::Work{static_cast<double>(ops::flops(*program->workload)),
                                                      static_cast<double>(ops::bytes(*program->workload))})
                        : measure::count_work(f);
  if (!work) return std::nullopt;
  const int threads = static_cast<int>(task.threads);
  if (peaks) return rates_of(*program, f, *work, seconds, threads, peaks);
  // This machine's peaks are no measure for another.
  const bool is_here = tune::task_of(f, "", target::host(), threads).target == task.target;
  return rates_of(*program, f, *work, seconds, threads,
                  is_here ? std::nullopt : std::optional(std::map<std::string, double>()));
}

std::optional<BestReport> best_report(const db::Database& database, const db::KeptTask& entry) {
  auto trial = database.best(entry.id);
  if (!trial) return std::nullopt;
  const auto notes = database.notes(entry.id);
  BestReport report{.best = {entry, std::move(*trial)}, .title = title_of(entry.task)};
  const auto peaks = numbers(newest_note(notes, "peaks"));
  report.rates = rates_of(entry.task, report.best.trial.time->median_s,
                          peaks.empty() ? std::nullopt : std::optional(peaks));
  // Times of different moments are no ratio: the default's counts beside the winner of its own duel alone.
  const db::Trial& best = report.best.trial;
  for (const db::Note& note : notes.sound) {
    if (best.method != db::duel || note.name != "default" || note.run != best.run) continue;
    const auto standard = numbers(json::parse(note.text, nullptr, false));
    if (const auto at = standard.find("median_s"); at != standard.end()) report.default_s = at->second;
  }
  report.libraries_s = numbers(newest_note(notes, "libraries"));
  return report;
}

std::string best_text(const BestReport& report) {
  const auto& [entry, trial] = report.best;
  const CallTime& time = *trial.time;
  std::string text = fmt::format("{} on {}, {}: {} ({} to {})", report.title, entry.task.target_name,
                                 tune::threads_text(entry.task), time_text(time.median_s),
                                 time_text(time.low_s), time_text(time.high_s));
  if (report.rates) text += "; " + rates_text(*report.rates);
  text += "\n";
  std::vector<std::string> beside;
  if (report.default_s)
    beside.push_back(
        fmt::format("{:.3f} × as fast as what the rules choose", *report.default_s / time.median_s));
  // Beside libraries Ardea had turns in the same run: its time there is the one to compare.
  const auto own = report.libraries_s.find("ardea");
  const double own_s = own == report.libraries_s.end() ? time.median_s : own->second;
  for (const auto& [name, seconds] : report.libraries_s)
    if (name != "ardea") beside.push_back(fmt::format("{:.3f} × {}", seconds / own_s, name));
  if (!beside.empty()) text += "  " + join(beside, ", ") + "\n";
  text +=
      fmt::format("  trial {} of {}{}, {} failed; {:%Y-%m-%d %H:%M} UTC; {}\n", trial.number, entry.trials,
                  trial.method == db::duel ? ", winner of a duel" : " by " + trial.method, entry.failures,
                  fmt::gmtime(static_cast<std::time_t>(trial.taken_at)), entry.task.compiler);
  const std::string knobs = knobs_text(trial);
  if (!trial.sketch.empty() || !knobs.empty())
    text += fmt::format("  {}{}{}\n", trial.sketch, trial.sketch.empty() || knobs.empty() ? "" : ": ", knobs);
  return text;
}

json best_json(const BestReport& report) {
  const db::Task& task = report.best.task.task;
  json one = {{"workload", task.workload},
              {"target", task.target_name},
              {"threads", task.threads},
              {"compiler", task.compiler},
              {"protocol", task.protocol},
              {"trials", report.best.task.trials},
              {"failures", report.best.task.failures},
              {"trial", json::parse(db::to_text(report.best.trial))}};
  if (report.rates) one["rates"] = rate_json(*report.rates);
  if (report.default_s) one["default_s"] = *report.default_s;
  if (!report.libraries_s.empty()) one["libraries_s"] = report.libraries_s;
  return one;
}

}  // namespace ardea::cli
