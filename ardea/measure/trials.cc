#include "ardea/measure/trials.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ardea/measure/canary.h"
#include "ardea/measure/placement.h"
#include "ardea/measure/task_message.h"
#include "ardea/measure/trial_answers.h"
#include "ardea/measure/worker_kinds.h"
#include "ardea/measure/worker_process.h"
#include "ardea/runtime/time_evaluator.h"
#include "ardea/support/error.h"
#include "ardea/support/temporary_folder.h"
#include "ardea/target/host.h"

namespace ardea::measure {

namespace {

using nlohmann::json;

/// How long an idle loop sleeps before it asks whether to stop.
constexpr double nap_s = 0.05;

constexpr const char* this_program = "/proc/self/exe";

/// On a GPU a sample takes well under a millisecond, and they agree: what is not known after so long is noise
/// that more of them do not take away. A device is scarce.
constexpr double gpu_timing_s = 0.05;

/// Where a schedule is on its way.
struct Job {
  enum class State { waiting, building, built, running, done };
  const std::string* trace = nullptr;
  State state = State::waiting;
  TrialReport report = {};
  std::int64_t id = 0;
  std::filesystem::path object = {};
  bool tried_again = false;  ///< after a death from outside
};

}  // namespace

class Trials::Workers {
 public:
  using Told = std::function<void(std::size_t, const TrialReport&)>;

  Workers(TrialTask task, TrialOptions options)
      : task_(std::move(task)),
        options_(std::move(options)),
        // A GPU's threads are not those of the process that launches.
        placement_(place(target::processors_by_core(), on_gpu() ? 1 : task_.threads)),
        reference_(start("reference", {}, 0)),
        runner_(start("run", placement_.timing, on_gpu() ? 1 : task_.threads)) {
    if (on_gpu()) options_.timing_s = std::min(options_.timing_s, gpu_timing_s);
    const int builders =
        options_.build_workers > 0 ? options_.build_workers : static_cast<int>(placement_.building.size());
    for (int i = 0; i < builders; ++i)
      builders_.push_back({.worker = WorkerProcess(start("build", placement_.building, 1))});
    if (!placement_.shares_cores && options_.build_workers == 0 && !on_gpu())
      for (const int processor : placement_.timing)
        builders_.push_back({.worker = WorkerProcess(start("build", {processor}, 1)), .is_visitor = true});
    ask_for_reference();
  }

  std::vector<TrialReport> measure(const std::vector<std::string>& traces, const Told& told) {
    std::vector<Job> jobs = jobs_of(traces);
    const std::size_t known = work_on(jobs, told);
    std::vector<TrialReport> reports;
    for (std::size_t i = 0; i < known; ++i) reports.push_back(jobs[i].report);
    drop_all(jobs);
    return reports;
  }

  std::vector<Duelist> duel(const std::vector<std::string>& traces, double seconds) {
    std::vector<Job> jobs = jobs_of(traces);
    // Each by itself first: who fails is not in the way of the others.
    is_duel_ = true;
    const std::size_t known = work_on(jobs, {});
    is_duel_ = false;
    std::vector<Duelist> duelists;
    for (std::size_t i = 0; i < known; ++i) duelists.push_back({jobs[i].report});
    if (known == jobs.size() && !should_stop()) fight(jobs, duelists, seconds);
    drop_all(jobs);
    return duelists;
  }

 private:
  struct Builder {
    WorkerProcess worker;
    /// It lives on a core that times, and works only while nothing is timed there.
    bool is_visitor = false;
    std::size_t job = 0;  ///< that it works on
  };

  bool on_gpu() const { return task_.target.kind == target::Kind::cuda; }

  WorkerStart start(const std::string& kind, const std::vector<int>& processors, int threads) const {
    Command command{.program = options_.program, .arguments = {"worker", kind}};
    if (command.program.empty()) {
      command.program = std::filesystem::read_symlink(this_program).string();
      command.file = this_program;  // also where a newer one has taken its file's place since
    }
    if (threads > 0) command.environment["ARDEA_NUM_THREADS"] = std::to_string(threads);
    // The reference runs no candidate, and takes what it needs. A GPU's driver reserves addresses for all of
    // its memory and the machine's, which a limit would refuse.
    const bool is_limited = kind == "build" || (kind == "run" && !on_gpu());
    return {.command = command,
            .limits = is_limited ? ProcessLimits{.memory_bytes = options_.memory_limit_bytes,
                                                 .file_bytes = options_.file_limit_bytes,
                                                 .stack_bytes = std::int64_t{64} << 20U}
                                 : ProcessLimits{},
            .processors = processors,
            .hello = json{{"task", to_message(task_, folder_.path())}}.dump(),
            .start_limit_s = options_.start_limit_s};
  }

  std::vector<Job> jobs_of(const std::vector<std::string>& traces) {
    std::vector<Job> jobs;
    for (const std::string& trace : traces) {
      Job& job = jobs.emplace_back();
      job.trace = &trace;
      job.id = ++last_id_;
      job.object = folder_.path() / fmt::format("{}.o", job.id);
    }
    return jobs;
  }

  /// The files of a batch, but for the incumbent's.
  void drop_all(const std::vector<Job>& jobs) {
    for (const Job& job : jobs) dropped_.push_back(job.object);
    std::error_code ignored;
    for (const std::filesystem::path& object : std::exchange(dropped_, {})) {
      if (object == incumbent_object_) continue;
      std::filesystem::remove(object, ignored);
      std::filesystem::remove(packing_beside(object), ignored);
    }
  }

  bool should_stop() const { return options_.stop && options_.stop(); }

  /// Until all are done or there is a wish to stop: how many of the first ones are done.
  std::size_t work_on(std::vector<Job>& jobs, const Told& told) {
    std::size_t known = 0;
    while (known < jobs.size() && !should_stop()) {
      build_some(jobs);
      run_next(jobs);
      wait();
      hear_builders(jobs);
      hear_runner(jobs);
      for (; known < jobs.size() && jobs[known].state == Job::State::done; ++known)
        if (told) told(known, jobs[known].report);
    }
    if (known < jobs.size()) give_up();
    return known;
  }

  void give_up() {
    for (Builder& builder : builders_) builder.worker.abandon();
    runner_.abandon();
  }

  void wait() {
    std::vector<ChildProcess*> processes;
    double seconds = nap_s;
    const auto add = [&](WorkerProcess& worker) {
      if (!worker.is_busy()) return;
      processes.push_back(worker.process());
      seconds = std::min(seconds, worker.seconds_left());
    };
    add(reference_);
    add(runner_);
    for (Builder& builder : builders_) add(builder.worker);
    ChildProcess::wait(processes, seconds);
    hear_reference();
  }

  // The reference, once.

  void ask_for_reference() {
    const std::int64_t id = ++last_id_;
    reference_.ask(json{{"id", id}}.dump(), id, options_.reference_limit_s);
  }

  void hear_reference() {
    if (has_reference_) return;
    const auto reply = reference_.reply();
    if (!reply) return;
    if (reply->is_from_outside && !std::exchange(reference_again_, true)) return ask_for_reference();
    const std::optional<TrialReport> failed = failure_of(*reply, false);
    require(!failed, "{}: its reference cannot be computed: {}", task_.program.name, failed->message);
    has_reference_ = true;
    const json answer = json::parse(reply->answer);
    is_memory_bound_ = answer.value("memory_bound", false);
    runner_.allow_memory(answer.value("bytes", std::int64_t{0}));
    reference_.retire();
    runner_.warm_up();
  }

  // Builders, and whose turn it is where they would disturb what is timed.

  /// A GPU is timed by its own clock: whatever processors do beside it is no part of that.
  bool takes_turns() const {
    return !on_gpu() && (placement_.shares_cores || task_.threads > 1 || is_memory_bound_);
  }

  /// A build in the way of a run.
  bool is_disturbed() const {
    return std::any_of(builders_.begin(), builders_.end(), [&](const Builder& builder) {
      return builder.worker.is_busy() && (builder.is_visitor || takes_turns());
    });
  }

  /// The next to run; null where none is left. Candidates run in the order in which they were asked for, so
  /// that who is compared with which incumbent depends on no other process.
  static Job* next_to_run(std::vector<Job>& jobs) {
    const auto next =
        std::find_if(jobs.begin(), jobs.end(), [](const Job& job) { return job.state != Job::State::done; });
    return next == jobs.end() ? nullptr : &*next;
  }

  /// Some are built, then these run, and so on, so that the first answers do not wait for the last build.
  bool may_build(const std::vector<Job>& jobs) {
    if (!takes_turns()) return true;
    constexpr std::size_t ahead = 8;
    const auto built = static_cast<std::size_t>(std::count_if(
        jobs.begin(), jobs.end(), [](const Job& job) { return job.state == Job::State::built; }));
    if (built >= ahead * builders_.size()) runs_turn_ = true;
    if (built == 0 && !runner_.is_busy()) runs_turn_ = false;
    return !runs_turn_;
  }

  void build_some(std::vector<Job>& jobs) {
    if (!may_build(jobs)) return;
    const Job* const first = next_to_run(jobs);
    const bool can_run = has_reference_ && first != nullptr && first->state == Job::State::built;
    for (Builder& builder : builders_) {
      if (builder.worker.is_busy()) continue;
      if (builder.is_visitor && !takes_turns() && (runner_.is_busy() || can_run)) continue;
      const auto next = std::find_if(jobs.begin(), jobs.end(),
                                     [](const Job& job) { return job.state == Job::State::waiting; });
      if (next == jobs.end()) {
        runs_turn_ = true;
        return;
      }
      next->state = Job::State::building;
      builder.job = static_cast<std::size_t>(next - jobs.begin());
      builder.worker.ask(
          json{{"id", next->id}, {"trace", *next->trace}, {"object", next->object.string()}}.dump(), next->id,
          options_.build_limit_s);
    }
  }

  void hear_builders(std::vector<Job>& jobs) {
    for (Builder& builder : builders_) {
      const auto reply = builder.worker.reply();
      if (!reply) continue;
      Job& job = jobs[builder.job];
      if (reply->is_from_outside && !std::exchange(job.tried_again, true)) {
        job.state = Job::State::waiting;
        continue;
      }
      if (const auto failed = failure_of(*reply, true)) {
        job.report = *failed;
        job.state = Job::State::done;
        if (job.report.message == out_of_memory) builder.worker.retire();
        continue;
      }
      job.report.build_s = json::parse(reply->answer).value("seconds", 0.0);
      job.state = Job::State::built;
    }
  }

  // The runner.

  void run_next(std::vector<Job>& jobs) {
    if (!has_reference_ || runner_.is_busy() || is_disturbed()) return;
    if (takes_turns() && !runs_turn_) return;
    Job* const next = next_to_run(jobs);
    if (next == nullptr || next->state != Job::State::built) return;
    if (incumbent_is_stale_) return ask_to_run(++last_id_, incumbent_object_, false);
    next->state = Job::State::running;
    running_ = static_cast<std::size_t>(next - jobs.data());
    run_started_ = runtime::steady_seconds();
    ask_to_run(next->id, next->object, true);
  }

  void ask_to_run(std::int64_t id, const std::filesystem::path& object, bool against_incumbent) {
    json request = {{"id", id},
                    {"object", object.string()},
                    {"incumbent", nullptr},
                    {"precision", options_.precision},
                    {"timing_s", options_.timing_s}};
    if (incumbent_ && against_incumbent) {
      request["incumbent"] = time_to_json(*incumbent_);
      request["rival"] = incumbent_object_.string();
    }
    runner_.ask(request.dump(), id, against_incumbent ? hopeless_s() : options_.run_limit_s);
  }

  /// A call that takes hundreds of the incumbent's need not be waited for. By what the incumbent's whole run
  /// took, so that large arguments and a busy machine do not count against a candidate.
  double hopeless_s() const {
    constexpr double least_s = 2, factor = 8;
    if (!incumbent_ || is_duel_) return options_.run_limit_s;
    return std::min(options_.run_limit_s, std::max(least_s, factor * incumbent_run_s_));
  }

  void hear_runner(std::vector<Job>& jobs) {
    const auto reply = runner_.reply();
    if (!reply) return;
    if (incumbent_is_stale_) return hear_of_incumbent(*reply);
    Job& job = jobs[running_];
    const double run_s = runtime::steady_seconds() - run_started_;
    job.report.run_s += run_s;
    if (reply->is_from_outside && !std::exchange(job.tried_again, true)) {
      job.state = Job::State::built;
      return;
    }
    const auto failed = failure_of(*reply, false);
    const std::optional<Ran> ran = failed ? std::nullopt : ran_from(reply->answer);
    if (failed || !ran) {
      // Whatever it did to the memory of its process, or to a GPU's context, the next one begins anew: now,
      // while others are built.
      runner_.retire();
      runner_.warm_up();
      const TrialReport why = failed ? *failed : no_answer();
      job.report.outcome = why.outcome;
      job.report.message = why.message;
      job.state = Job::State::done;
      return;
    }
    const Canary::Verdict verdict = ran->canary ? canary_.read(*ran->canary) : Canary::Verdict::steady;
    if (verdict == Canary::Verdict::discard) {
      job.state = Job::State::built;
      return;
    }
    job.report.time = ran->time;
    job.report.raced = ran->raced;
    job.report.clock_mhz = ran->clock_mhz;
    job.state = Job::State::done;
    note_incumbent(job, *ran, run_s);
    // Its time is that of a machine that is no more.
    incumbent_is_stale_ = verdict == Canary::Verdict::moved && incumbent_object_ != job.object;
  }

  void note_incumbent(const Job& job, const Ran& ran, double run_s) {
    if (ran.rival_time) incumbent_ = ran.rival_time;
    const bool is_faster =
        !incumbent_ || (ran.ratio ? ran.ratio->median_s < 1 : ran.time.median_s < incumbent_->median_s);
    if (!is_faster) return;
    dropped_.push_back(std::exchange(incumbent_object_, job.object));
    incumbent_ = ran.time;
    incumbent_run_s_ = run_s;
  }

  void hear_of_incumbent(const WorkerReply& reply) {
    incumbent_is_stale_ = false;
    if (failure_of(reply, false)) return;  // it has been timed before: then its old time has to do
    if (const auto ran = ran_from(reply.answer)) incumbent_ = ran->time;
  }

  // The duel.

  void fight(const std::vector<Job>& jobs, std::vector<Duelist>& duelists, double seconds) {
    std::vector<std::size_t> fit;
    json objects = json::array();
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (!jobs[i].report.time) continue;
      fit.push_back(i);
      objects.push_back(jobs[i].object.string());
    }
    if (fit.empty()) return;
    std::optional<WorkerReply> reply;
    for (int tries = 0; tries < 2 && (!reply || reply->is_from_outside) && !should_stop(); ++tries) {
      const std::int64_t id = ++last_id_;
      // Rounds may take four times what was asked for (rotation.h).
      runner_.ask(json{{"id", id}, {"duel", objects}, {"seconds", seconds}}.dump(), id,
                  4 * seconds + options_.run_limit_s * static_cast<double>(fit.size()));
      while (!(reply = runner_.reply()) && !should_stop()) wait();
    }
    if (!reply) return give_up();
    const auto failed = failure_of(*reply, false);
    const std::vector<Fought> fought = failed ? std::vector<Fought>() : fought_from(reply->answer);
    for (std::size_t i = 0; i < fit.size(); ++i) {
      Duelist& duelist = duelists[fit[i]];
      if (i >= fought.size()) {
        duelist.report = failed ? *failed : no_answer();
        continue;
      }
      duelist.report.time = fought[i].time;
      duelist.report.raced = false;
      duelist.report.clock_mhz = fought[i].clock_mhz;
      duelist.ratio = fought[i].ratio;
    }
  }

  TrialTask task_;
  TrialOptions options_;
  TemporaryFolder folder_;
  Placement placement_;
  WorkerProcess reference_, runner_;
  std::vector<Builder> builders_;
  std::int64_t last_id_ = 0;
  bool has_reference_ = false, reference_again_ = false;
  bool is_memory_bound_ = false;
  bool runs_turn_ = false;  ///< where builders and the runner take turns
  std::size_t running_ = 0;
  double run_started_ = 0;
  Canary canary_;
  std::optional<CallTime> incumbent_;
  double incumbent_run_s_ = 0;  ///< to load, check and time it
  std::filesystem::path incumbent_object_;
  std::vector<std::filesystem::path> dropped_;  ///< incumbents of earlier batches, that are none any more
  bool incumbent_is_stale_ = false;
  bool is_duel_ = false;  ///< then nobody is hopeless
};

Trials::Trials(TrialTask task, TrialOptions options)
    : workers_(std::make_unique<Workers>(std::move(task), std::move(options))) {}
Trials::~Trials() = default;

std::vector<TrialReport> Trials::measure(const std::vector<std::string>& traces,
                                         const std::function<void(std::size_t, const TrialReport&)>& told) {
  return workers_->measure(traces, told);
}

std::vector<Duelist> Trials::duel(const std::vector<std::string>& traces, double seconds) {
  return workers_->duel(traces, seconds);
}

std::string protocol(target::Kind machine, bool prepacked) {
  const std::string own = machine == target::Kind::cuda ? "graph-1" : "median-1";
  return prepacked ? own + "-prepacked" : own;
}

}  // namespace ardea::measure
