#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "ardea/arith/load.h"
#include "ardea/cli/best_report.h"
#include "ardea/cli/commands.h"
#include "ardea/cli/output.h"
#include "ardea/cli/tuned.h"
#include "ardea/compile/compile.h"
#include "ardea/ir/fold_literals.h"
#include "ardea/ir/print.h"
#include "ardea/report/page.h"
#include "ardea/support/error.h"
#include "ardea/support/whole_file.h"

namespace ardea::cli {

namespace {

using nlohmann::json;

/// The sentences that runs left about themselves.
std::vector<std::string> remarks(const db::Kept<db::Note>& notes) {
  std::vector<std::string> all;
  for (const db::Note& note : notes.sound) {
    if (note.name != "run") continue;
    const json about = json::parse(note.text, nullptr, false);
    if (!about.is_object()) continue;
    const std::string why =
        about.value("method_why", json("")).is_string() ? about.value("method_why", "") : "";
    if (why.empty()) continue;
    const std::string method = about.value("method", json("")).is_string() ? about.value("method", "") : "";
    const std::string remark = method.empty() ? why : fmt::format("By {}: {}.", method, why);
    if (std::find(all.begin(), all.end(), remark) == all.end()) all.push_back(remark);
  }
  return all;
}

/// What can be told with a compiler at hand: both programs and the steps between.
void add_programs(report::Story& story, const std::optional<BestReport>& best) {
  try {
    const Module module = arith::load_program(story.task.program, story.title);
    require(module.functions.size() == 1, "the task has {} functions", module.functions.size());
    const Function& written = module.functions[0];
    story.plain = print(written);
    if (!best) return;
    const schedule::Schedule schedule = tune::apply_best(written, best->best);
    story.winning = print(fold_literals(schedule.program()));
    story.steps = print(schedule.trace());
  } catch (const Error& error) {
    const std::string what = error.what();
    story.why_none = what.substr(0, what.find('\n'));
  }
}

report::Story story_of(const db::Database& database, const db::KeptTask& entry, std::int64_t& damaged) {
  db::Kept<db::Trial> trials = database.trials(entry.id);
  const db::Kept<db::Note> notes = database.notes(entry.id);
  damaged += trials.damaged + notes.damaged;
  const std::optional<BestReport> best = best_report(database, entry);
  report::Story story{.title = title_of(entry.task), .task = entry.task, .trials = std::move(trials.sound)};
  story.remarks = remarks(notes);
  add_programs(story, best);
  if (!best) return story;
  story.best = best->best.trial;
  story.default_s = best->default_s;
  story.libraries_s = best->libraries_s;
  if (!best->rates) return story;
  const Rates& rates = *best->rates;
  story.operations = rates.operations_per_s * story.best->time->median_s;
  story.peak_per_s = rates.peak_operations;
  story.peak_name = rates.peak_name.substr(0, rates.peak_name.find('_'));
  story.rate_unit = rate_unit(rates);
  return story;
}

}  // namespace

int report(const ReportOptions& options) {
  const db::Database database = existing({.command = "report", .db = options.db});
  const db::Kept<db::KeptTask> tasks = told_tasks(database);
  report::Report all{.source = database.path(), .made_by = compile::version()};
  all.made_at =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  all.damaged = tasks.damaged;
  for (const db::KeptTask& entry : tasks.sound)
    if (entry.task.workload.find(options.workload) != std::string::npos)
      all.stories.push_back(story_of(database, entry, all.damaged));
  require(!all.stories.empty() || options.workload.empty(),
          "report: {} has no task with \"{}\" in its name; `ardea db list` names them", database.path(),
          options.workload);
  write_whole_file(options.out, {report::page(all)});
  write_out(options.json ? json{{"report", options.out}, {"tasks", all.stories.size()}}.dump(2) + "\n"
                         : fmt::format("{}: {} task{}\n", options.out, all.stories.size(),
                                       all.stories.size() == 1 ? "" : "s"));
  return exit_ok;
}

}  // namespace ardea::cli
