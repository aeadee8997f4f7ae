#include "ardea/cli/heron.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "ardea/cli/interrupt.h"
#include "ardea/cli/output.h"
#include "ardea/cli/records.h"
#include "ardea/cli/trial_csv.h"
#include "ardea/cli/tune_report.h"
#include "ardea/support/error.h"

namespace ardea::cli {

namespace {

using nlohmann::json;

void check_platform(const std::string& platform) {
  require(platform == "cpu" || platform == "dlboost" || platform == "tensorcore" || platform == "vta",
          "-p {}: there is no such platform, only cpu, dlboost, tensorcore and vta", platform);
}

/// Where the trials of a case are logged, as Heron logs them; empty where they are not.
std::filesystem::path log_of(const std::string& folder, const std::string& name) {
  if (folder.empty()) return {};
  std::filesystem::path path = std::filesystem::path(folder) / (name + ".csv");
  std::error_code failure;  // the file that cannot be written says it
  std::filesystem::create_directories(path.parent_path(), failure);
  return path;
}

/// A GPU, or the accelerator whose results are of that type, unless another is asked for.
std::string target_of(const HeronConfig& config, const TuneOptions& options) {
  const bool is_gpu = options.platform == "tensorcore";
  if ((!is_gpu && options.platform != "vta") || options.target != "host") return options.target;
  if (is_gpu) return "h200";
  return config.out == "int8" ? "vta" : "vta-out32";
}

TuneRequest request_of(const HeronConfig& config, const HeronCase& one, const TuneOptions& options) {
  TuneRequest request{.program = {.program = one.op,
                                  .shape = fmt::format("{}", fmt::join(one.sizes, ",")),
                                  .in = config.in,
                                  .acc = config.acc,
                                  .out = config.out,
                                  // Its product takes the second operand as n, k.
                                  .transpose_b = one.op == "gemm"},
                      .target = target_of(config, options),
                      .threads = threads_to_tune(options.threads, target::find(target_of(config, options))),
                      .names_threads = options.threads.has_value(),
                      .trials = config.max_trials,
                      .seed = options.seed,
                      .blind = options.blind,
                      .resume = options.resume,
                      .batch = static_cast<std::size_t>(std::min(config.batch, config.max_trials)),
                      .loss = config.regression ? cost::Loss::regression : cost::Loss::rank,
                      .against_libraries = !options.without_libraries};
  request.limits.run_limit_s = config.run_limit_s;
  request.limits.build_limit_s = config.build_limit_s;
  request.limits.build_workers = config.workers;
  request.method = search::method(config.method);
  request.method->uses_model = request.method->uses_model && config.uses_model;
  request.method_options = config.method_options;
  return request;
}

}  // namespace

int tune_as_heron(const TuneOptions& options) {
  check_platform(options.platform);
  require(options.program.program.empty() && options.suite.empty() && !options.trials &&
              options.method.empty() && !options.replay && !options.seconds,
          "-c {}: it says what is tuned, how and how long; leave the workload, --suite, --trials, --seconds, "
          "--method and --replay out",
          options.config);
  const HeronConfig config = read_heron_config(options.config, options.platform);
  for (const std::string& note : config.notes) write_note(note);
  const target::Target host = target::find(target_of(config, options));
  require(options.platform != "tensorcore" || host.kind == target::Kind::cuda,
          "-p tensorcore --target {}: it has no tensor cores; name a GPU, such as h200", host.name);
  if (options.platform == "dlboost" && !host.has("avx512vnni"))
    write_note(
        fmt::format("-p dlboost: {} has no DL Boost; what it has for such products is used", host.name));
  db::Database database =
      db::Database::create(options.db.empty() ? db::default_path() : std::filesystem::path(options.db));
  const Interrupt interrupt;
  json all = json::array();
  int code = exit_ok;
  for (const HeronCase& one : config.cases) {
    TrialCsv log(log_of(config.out_name, one.name), "\"out_name\":");
    const TuneSession* running = nullptr;
    TuneSession session(
        request_of(config, one, options), &database, [&] { return interrupt.is_asked_for(); },
        [&](const db::Trial& trial) { log.add(trial, running->work()); });
    running = &session;
    // Until the duel is over, which tells of itself, too.
    std::optional<LiveLine> shown(std::in_place);
    session.told = [&](const tune::Progress& progress) {
      shown->tell([&] { return session.line(progress); });
    };
    while (session.step()) {}
    const TuneReport report = session.finish();
    shown.reset();
    // The workers have compared the winner's answers with those of the program as written.
    const bool passes = report.tuned.winner.has_value();
    if (!passes) code = exit_disagrees;
    if (options.json) {
      json answer = tune_json(report);
      answer["case"] = one.name;
      answer["pass"] = passes;
      all.push_back(std::move(answer));
    } else {
      write_out(tune_text(report));
      const std::string sizes = fmt::format("[{}]", fmt::join(one.sizes, ", "));
      write_out(passes ? fmt::format("PASS\nCase {}, latency {:.6g} ms.\n", sizes,
                                     report.tuned.winner->trial.time->median_s * 1e3)
                       : fmt::format("FAIL\nCase {}: no program was timed: {}.\n", sizes,
                                     failures_text(report.tuned.failures)));
    }
    if (report.tuned.was_stopped) return exit_interrupted;
  }
  if (options.json) write_out(all.dump(2) + "\n");
  return code;
}

}  // namespace ardea::cli
