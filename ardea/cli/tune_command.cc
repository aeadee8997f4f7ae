#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "ardea/cli/commands.h"
#include "ardea/cli/heron.h"
#include "ardea/cli/interrupt.h"
#include "ardea/cli/output.h"
#include "ardea/cli/records.h"
#include "ardea/cli/trial_csv.h"
#include "ardea/cli/tune_report.h"
#include "ardea/cli/tune_suite.h"
#include "ardea/support/error.h"
#include "ardea/support/temporary_folder.h"

namespace ardea::cli {

namespace {

using nlohmann::json;

TuneRequest request_of(const TuneOptions& options) {
  TuneRequest request{.program = options.program,
                      .target = options.target,
                      .threads = threads_to_tune(options.threads, target::find(options.target)),
                      .names_threads = options.threads.has_value(),
                      .trials = options.trials,
                      .seconds = options.seconds,
                      .seed = options.seed,
                      .blind = options.blind,
                      .resume = options.resume,
                      .replay = options.replay,
                      .against_libraries = !options.without_libraries};
  if (!options.method.empty()) request.method = search::method(options.method);
  require(!options.trials || *options.trials >= 1, "--trials {}: must be at least 1",
          options.trials.value_or(0));
  require(!options.seconds || *options.seconds > 0, "--seconds {}: must be above 0",
          options.seconds.value_or(0));
  require(!options.blind || !options.resume,
          "--blind --resume: what earlier runs found is not blind; leave one of them out");
  return request;
}

int exit_code_of(const tune::Tuned& tuned, bool was_stopped) {
  if (was_stopped) return exit_interrupted;
  return tuned.winner ? exit_ok : exit_disagrees;
}

int tune_alone(const TuneOptions& options, db::Database& database) {
  const Interrupt interrupt;
  TrialCsv csv(options.csv, "--csv");
  const TuneSession* running = nullptr;
  TuneSession session(
      request_of(options), &database, [&] { return interrupt.is_asked_for(); },
      [&](const db::Trial& trial) { csv.add(trial, running->work()); });
  running = &session;
  // Until the duel is over, which tells of itself, too.
  std::optional<LiveLine> shown(std::in_place);
  session.told = [&](const tune::Progress& progress) { shown->tell([&] { return session.line(progress); }); };
  while (session.step()) {}
  const TuneReport report = session.finish();
  shown.reset();
  write_out(options.json ? tune_json(report).dump(2) + "\n" : tune_text(report));
  return exit_code_of(report.tuned, report.tuned.was_stopped);
}

int tune_many(const TuneOptions& options, db::Database& database) {
  const std::vector<SuiteEntry> entries = read_suite(options.suite);
  const Interrupt interrupt;
  TrialCsv csv(options.csv, "--csv");
  const SuiteReport suite = tune_suite(
      entries, request_of(options), &database, [&] { return interrupt.is_asked_for(); },
      [&](const TuneSession& session, const db::Trial& trial) { csv.add(trial, session.work()); });
  json all = json::array();
  double before = 0, after = 0;
  int code = suite.was_stopped ? exit_interrupted : exit_ok;
  for (std::size_t i = 0; i < suite.reports.size(); ++i) {
    const TuneReport& report = suite.reports[i];
    if (code == exit_ok) code = exit_code_of(report.tuned, false);
    if (report.tuned.standard) before += suite.weights[i] * report.tuned.standard->trial.time->median_s;
    if (report.tuned.winner && report.tuned.standard)
      after += suite.weights[i] * report.tuned.winner->trial.time->median_s;
    json one = tune_json(report);
    one["weight"] = suite.weights[i];
    all.push_back(std::move(one));
    if (!options.json) write_out(tune_text(report) + "\n");
  }
  if (options.json)
    write_out(json{{"workloads", all}, {"default_s", before}, {"tuned_s", after}}.dump(2) + "\n");
  else if (before > 0)
    write_out(fmt::format("all of them, by weight: {} by default, {} tuned, {:.3f} ×\n", time_text(before),
                          time_text(after), before / after));
  return code;
}

void require_tunable(const TuneOptions& options) {
  TuneRequest request = request_of(options);
  if (options.suite.empty()) return require_tunable(request);
  require(options.program.program.empty(), "--suite {}: it names the workloads; leave {} out", options.suite,
          options.program.program);
  require(!options.replay, "--suite {}: --replay is for one workload; leave it out", options.suite);
  for (const SuiteEntry& entry : read_suite(options.suite)) {
    request.program = entry.program;
    require_tunable(request);
  }
}

}  // namespace

int tune(const TuneOptions& options) {
  require(!options.threads || (*options.threads >= 1 && *options.threads <= 4096),
          "--threads {}: must be from 1 to 4096", options.threads.value_or(0));
  // Before anything asks for the pool or loads OpenMP: as `bench` does.
  const int threads = threads_to_tune(options.threads, target::find(options.target));
  if (target::find(options.target).kind != target::Kind::cuda)
    setenv("ARDEA_NUM_THREADS", std::to_string(threads).c_str(), 1);
  setenv("GOMP_SPINCOUNT", "20000", 0);
  remove_abandoned_folders();
  require(options.platform.empty() == options.config.empty(),
          "{} alone: -p PLATFORM and -c FILE.json belong together",
          options.platform.empty() ? "-c " + options.config : "-p " + options.platform);
  if (!options.config.empty()) return tune_as_heron(options);
  require(!options.program.program.empty() || !options.suite.empty(),
          "tune needs a program, as in: ardea tune gemm 512,512,512; or --suite FILE.json, or -p and -c");
  require_tunable(options);
  const std::filesystem::path path =
      options.db.empty() ? db::default_path() : std::filesystem::path(options.db);
  require(!options.replay || std::filesystem::exists(path),
          "--replay: there is no database {}; --db names another", path.string());
  db::Database database = options.replay ? db::Database::open(path) : db::Database::create(path);
  return options.suite.empty() ? tune_alone(options, database) : tune_many(options, database);
}

}  // namespace ardea::cli
