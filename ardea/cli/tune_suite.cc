#include "ardea/cli/tune_suite.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "ardea/runtime/time_evaluator.h"
#include "ardea/support/error.h"
#include "ardea/support/text_file.h"
#include "ardea/tune/task_scheduler.h"

namespace ardea::cli {

namespace {

using nlohmann::json;

constexpr std::int64_t usual_trials_each = 64;
constexpr std::size_t most_with_workers = 6;

SuiteEntry entry_of(const json& given, const std::string& place) {
  SuiteEntry entry;
  std::string workload;
  if (given.is_string()) {
    workload = given.get<std::string>();
  } else {
    require(given.is_object() && given.contains("workload") && given["workload"].is_string(),
            "{}: it is neither a text such as \"gemm 64,64,64\" nor an object with a \"workload\"", place);
    for (const auto& [key, value] : given.items()) {
      const bool is_known = key == "workload" || key == "weight" || key == "in" || key == "acc" ||
                            key == "out" || key == "layout" || key == "prepacked";
      require(is_known, "{}: there is no \"{}\", only workload, weight, in, acc, out, layout, prepacked",
              place, key);
      if (key == "prepacked") {
        require(value.is_boolean(), "{}: \"prepacked\" is {}, which is neither true nor false", place,
                value.dump());
        entry.program.prepacked = value.get<bool>();
        continue;
      }
      if (key == "weight") {
        require(value.is_number() && value.get<double>() > 0, "{}: its weight {} is no number above 0", place,
                value.dump());
        entry.weight = value.get<double>();
        continue;
      }
      require(value.is_string(), "{}: \"{}\" is {}, which is no text", place, key, value.dump());
      const auto text = value.get<std::string>();
      if (key == "workload")
        workload = text;
      else if (key == "in")
        entry.program.in = text;
      else if (key == "acc")
        entry.program.acc = text;
      else if (key == "out")
        entry.program.out = text;
      else
        entry.program.layout = text;
    }
  }
  const std::size_t space = workload.find(' ');
  entry.program.program = workload.substr(0, space);
  if (space != std::string::npos) entry.program.shape = workload.substr(space + 1);
  require(!entry.program.program.empty(), "{}: it names no workload", place);
  return entry;
}

}  // namespace

std::vector<SuiteEntry> read_suite(const std::string& file) {
  json list = json::parse(read_text_file(file), nullptr, false);
  if (list.is_object() && list.contains("workloads")) list = json(list["workloads"]);
  require(list.is_array() && !list.empty(),
          "--suite {}: it is no list of workloads in JSON, such as [\"gemm 64,64,64\", {{\"workload\": "
          "\"softmax 8,64\", "
          "\"weight\": 3}}]",
          file);
  std::vector<SuiteEntry> entries;
  for (std::size_t i = 0; i < list.size(); ++i)
    entries.push_back(entry_of(list[i], fmt::format("--suite {}: entry {}", file, i + 1)));
  return entries;
}

SuiteReport tune_suite(const std::vector<SuiteEntry>& entries, const TuneRequest& common,
                       db::Database* database, const std::function<bool()>& stop,
                       const std::function<void(const TuneSession&, const db::Trial&)>& recorded) {
  const double start = runtime::steady_seconds();
  const auto count = static_cast<std::int64_t>(entries.size());
  const std::int64_t all =
      common.trials    ? *common.trials
      : common.seconds ? std::max<std::int64_t>(8 * count, static_cast<std::int64_t>(2 * *common.seconds))
                       : usual_trials_each * count;
  // A duel each stays for the end.
  constexpr double duel_s = 3;
  const double time = common.seconds ? *common.seconds - duel_s * static_cast<double>(count) : 0;
  const auto is_over = [&] {
    return (stop && stop()) || (common.seconds && runtime::steady_seconds() - start >= time);
  };

  LiveLine shown;
  std::vector<std::unique_ptr<TuneSession>> sessions;
  std::vector<tune::SharedTask> tasks;
  const auto spent = [&] {
    std::int64_t trials = 0;
    for (const auto& session : sessions) trials += session->progress().trials;
    return trials;
  };
  /// One session's, as a part of all: what is left is left to all of them.
  const auto shared = [&](tune::Progress progress) {
    const std::int64_t done = spent();
    const double elapsed = runtime::steady_seconds() - start;
    const double by_trials = done > 0 ? elapsed * static_cast<double>(all - done) / static_cast<double>(done)
                                      : std::numeric_limits<double>::infinity();
    const double by_time = common.seconds ? time - elapsed : std::numeric_limits<double>::infinity();
    progress.most = std::numeric_limits<std::int64_t>::max();
    progress.seconds_left = std::max(0.0, std::min(by_trials, by_time)) + duel_s * static_cast<double>(count);
    return progress;
  };
  for (const SuiteEntry& entry : entries) {
    TuneRequest request = common;
    request.program = entry.program;
    request.trials = all;
    request.seconds = std::nullopt;
    // So that a small budget is enough for one batch of each.
    request.batch = std::min(tune::batch_for(all / count),
                             static_cast<std::size_t>(std::max<std::int64_t>(1, all / count)));
    const std::size_t place = sessions.size();
    sessions.push_back(
        std::make_unique<TuneSession>(request, database, is_over, [&, place](const db::Trial& trial) {
          if (recorded) recorded(*sessions[place], trial);
        }));
    sessions.back()->told = [&, place](const tune::Progress& progress) {
      shown.tell([&] {
        return fmt::format("[{} of {} trials, {} workloads] {}", spent(), all, entries.size(),
                           sessions[place]->line(shared(progress)));
      });
    };
    const auto work = sessions.back()->work();
    tasks.push_back({.weight = entry.weight,
                     .operations = work ? work->operations : 0,
                     .family = sessions.back()->program().workload ? entry.program.program : ""});
  }

  tune::TaskScheduler scheduler(tasks);
  std::optional<std::size_t> last;
  while (!is_over()) {
    const auto next = scheduler.next();
    if (!next) break;
    // Idle processes hold memory; starting them anew, with the reference's answers, takes time.
    if (last && last != next && sessions.size() > most_with_workers) sessions[*last]->rest();
    last = next;
    TuneSession& session = *sessions[*next];
    session.allow(session.progress().trials + all - spent());
    const bool goes_on = session.step();
    scheduler.tell(*next, session.progress().trials, session.progress().best_s);
    if (!goes_on) scheduler.close(*next);
    if (spent() >= all) break;
  }
  SuiteReport report;
  report.was_stopped = stop && stop();
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    report.reports.push_back(sessions[i]->finish());
    report.weights.push_back(entries[i].weight);
  }
  return report;
}

}  // namespace ardea::cli
