#include "ardea/cli/tune_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <nlohmann/json.hpp>

#include "ardea/cli/backends.h"
#include "ardea/cli/output.h"
#include "ardea/cli/script_space.h"
#include "ardea/compile/compile.h"
#include "ardea/compile/nvrtc.h"
#include "ardea/compile/runnable.h"
#include "ardea/measure/inputs.h"
#include "ardea/runtime/cuda/driver.h"
#include "ardea/runtime/time_evaluator.h"
#include "ardea/schedule/replay_trace.h"
#include "ardea/schedule/separate_packing.h"
#include "ardea/support/error.h"
#include "ardea/tune/simulation.h"
#include "ardea/tune/task.h"
#include "ardea/tune/teachers.h"

namespace ardea::cli {

namespace {

constexpr std::int64_t usual_trials = 64;
/// Turns with libraries: at first for a glance, at last for the table.
constexpr double first_library_s = 0.8, last_library_s = 2;

/// What a time allows, before anything is known of it.
std::int64_t likely_trials(const TuneRequest& request) {
  if (request.trials) return *request.trials;
  if (request.seconds) return std::max<std::int64_t>(8, static_cast<std::int64_t>(2 * *request.seconds));
  return usual_trials;
}

rules::Wishes wishes_of(const TuneRequest& request) { return {.weights_ahead = request.program.prepacked}; }

void require_gpu_tools(const target::Target& target) {
  const std::string no_gpu = runtime::cuda::why_no_gpu(), no_compiler = compile::why_no_nvrtc();
  require(no_gpu.empty(), "tune --target {}: programs are timed on a GPU, and {}", target.name, no_gpu);
  require(no_compiler.empty(), "tune --target {}: kernels are compiled by NVRTC, and {}", target.name,
          no_compiler);
}

bool leaves_nothing(const std::string& schedule) {
  return schedule == "none" || schedule == "recipe" || schedule == "best";
}

/// What is searched: the rules' space, or that of the script.
rules::ProgramSpace space_of(const TuneRequest& request, const Function& program,
                             const target::Target& target) {
  const std::string& file = request.program.schedule;
  const rules::SpaceOptions options{.wishes = wishes_of(request)};
  if (!file.empty()) return script_space(program, target, file, options);
  rules::SpaceOptions of_rules = options;
  of_rules.tries_what_is_proved = false;  // each trial's steps are judged before it is built
  return rules::program_space(program, target, rules::rules_for(target), of_rules);
}

Program as_written(const TuneRequest& request, const target::Target& target) {
  if (target.kind == target::Kind::cuda && !request.replay) require_gpu_tools(target);
  if (target.kind == target::Kind::cpu && !request.replay) compile::require_runnable(target, target::host());
  ProgramOptions plain = request.program;
  const std::string named = plain.shape.empty() ? plain.program : plain.program + " " + plain.shape;
  require(!leaves_nothing(plain.schedule),
          "tune {}: --schedule {} leaves nothing to search; leave it out for the rules' space, or give a "
          "script whose cfg or samples are the choices",
          named, plain.schedule);
  require(!ops::has_open_sizes(plain.shape),
          "tune {}: a size that only a call knows cannot be timed; write a number for each name", named);
  require(!plain.prepacked || !plain.shape.empty(),
          "tune {}: --prepacked belongs to operators; a program in a file says itself what it reads", named);
  plain.schedule = "none";
  plain.prepacked = false;
  Program program = load_program(plain, target);
  require(program.module.functions.size() == 1, "tune {}: it has {} functions, a schedule is for one", named,
          program.module.functions.size());
  if (request.program.prepacked) {
    const auto made = rules::model_schedule(program.module.functions[0], target, rules::rules_for(target),
                                            wishes_of(request));
    require(made && made->has_packed_ahead,
            "tune {}: --prepacked: no rule packs its weights on {} ahead; leave it out", named, target.name);
  }
  // A processor runs a program as it is written; a GPU has no thread for it.
  if (target.kind == target::Kind::cuda && request.program.schedule.empty())
    require(rules::model_schedule(program.module.functions[0], target, rules::rules_for(target)).has_value(),
            "tune {}: no rule serves it on {}, so that there is nothing to search; give a script whose cfg "
            "or samples are the choices with --schedule",
            named, target.name);
  return program;
}

/// As other commands are to be given it.
std::string command_of(const TuneRequest& request) {
  std::string text = command_of(request.program);
  if (request.target != "host") text += " --target " + request.target;
  return request.names_threads ? fmt::format("{} --threads {}", text, request.threads) : text;
}

/// The programs of the sketches, as they are timed.
std::vector<Function> timed_parts(const rules::ProgramSpace& space, bool prepacked) {
  std::vector<Function> parts;
  for (const rules::SolvedSketch& solved : space.sketches)
    parts.push_back(
        prepacked ? schedule::without_packing(solved.sketch.symbolic, schedule::weights_of(space.program))
                  : solved.sketch.symbolic);
  return parts;
}

std::shared_ptr<const cost::Features> features_for(const rules::ProgramSpace& space,
                                                   const std::vector<Function>& timed, int threads) {
  std::vector<cost::SketchView> views;
  for (const rules::SolvedSketch& solved : space.sketches) {
    cost::SketchView view{.system = &solved.sketch.system, .symbolic = &timed[views.size()]};
    for (const schedule::Knob& knob : solved.sketch.knobs) view.knobs.push_back(knob.var);
    for (const rules::Way& way : solved.sketch.ways) view.ways.push_back({way.question, way.taken});
    views.push_back(std::move(view));
  }
  return std::make_shared<cost::Features>(std::move(views), space.target, threads);
}

/// Trials that a strategy asked for, not those of duels, which had them again.
std::vector<db::Trial> asked_for(std::vector<db::Trial> trials) {
  std::erase_if(trials, [](const db::Trial& t) { return t.method == db::duel || t.method == tune::in_duel; });
  return trials;
}

}  // namespace

/// Processes that begin when they are needed, and may be let go.
class TuneSession::Workers : public tune::Measurer {
 public:
  Workers(measure::TrialTask task, measure::TrialOptions options)
      : task_(std::move(task)), options_(std::move(options)) {}

  std::vector<measure::TrialReport> measure(const std::vector<tune::Candidate>& candidates,
                                            const std::function<bool()>& stop, const Told& told) override {
    return running().measure(candidates, stop, told);
  }
  Duel duel(const std::vector<tune::Candidate>& candidates, const std::vector<bool>& may_win,
            double seconds) override {
    return running().duel(candidates, may_win, seconds);
  }
  void rest() { running_.reset(); }

 private:
  tune::Measurer& running() {
    if (!running_) running_ = tune::measured_by_workers(task_, options_);
    return *running_;
  }

  const measure::TrialTask task_;
  const measure::TrialOptions options_;
  std::unique_ptr<tune::Measurer> running_;
};

void require_tunable(const TuneRequest& request) {
  as_written(request, tune::on_threads(target::find(request.target), request.threads));
}

TuneSession::TuneSession(TuneRequest request, db::Database* database, std::function<bool()> stop,
                         std::function<void(const db::Trial&)> recorded)
    : start_(runtime::steady_seconds()),
      request_(std::move(request)),
      target_(tune::on_threads(target::find(request_.target), request_.threads)),
      program_(as_written(request_, target_)),
      function_(program_.module.functions[0]),
      title_(program_.workload ? ops::to_string(*program_.workload) : program_.title),
      key_(tune::task_of(function_, program_.workload ? title_ : function_.name,
                         target::find(request_.target), request_.threads, request_.program.prepacked)),
      database_(database),
      space_(space_of(request_, function_, target_)) {
  if (is_simulated()) key_.protocol = tune::simulated_protocol;
  if (request_.resume && database_ != nullptr && !database_->find(key_))
    write_note(fmt::format("--resume: {} has no trials of this task yet; it begins anew", database_->path()));
  points_ = space_.count().value;
  choose_method();
  work_ =
      work_of(program_, function_,
              program_.workload ? std::vector<interp::Argument>{} : measure::make_arguments(function_, {}));
  if (request_.replay) {
    require(database_ != nullptr, "--replay: it needs the database of the run");
    replayed_ = tune::recorded_run(*database_, key_, request_.method->name, request_.seed);
    measurer_ = tune::measured_before(*replayed_);
  } else if (is_simulated()) {
    measurer_ = tune::measured_by_simulation(function_, target_);
  } else {
    measurer_ = std::make_unique<Workers>(
        measure::TrialTask{.program = function_,
                           .target = target::find(request_.target),
                           .threads = request_.threads,
                           .prepacked = request_.program.prepacked ? schedule::weights_of(function_) : ""},
        request_.limits);
    // In the run itself, before workers begin: on a machine that others use, too, this is what there is.
    if (work_ && !is_on_gpu()) peaks_ = peaks_now(program_, *work_, request_.threads);
    if (program_.workload && request_.against_libraries && !is_on_gpu())
      at_first_ =
          library_times(*program_.workload, request_.threads, first_library_s, request_.program.prepacked);
  }
  if (database_ != nullptr && !request_.replay) task_ = database_->add(key_);
  if (request_.method->uses_model) make_model();
  std::optional<tune::Tuner::Kept> kept;
  if (database_ != nullptr && !request_.replay) kept = tune::Tuner::Kept{database_, task_};
  tuner_ = std::make_unique<tune::Tuner>(
      space_, *measurer_, tuner_options(std::move(stop), std::move(recorded)), model_.get(), kept);
}

TuneSession::~TuneSession() = default;

double TuneSession::elapsed() const { return runtime::steady_seconds() - start_; }

void TuneSession::choose_method() {
  if (request_.method) return;
  const search::Default chosen = search::default_method(likely_trials(request_), points_);
  request_.method = *chosen.method;
  why_method_ = chosen.why;
}

/// What was learned from is noted before the first trial, so that a replay of whatever there is learns the
/// same.
void TuneSession::make_model() {
  timed_ = timed_parts(space_, request_.program.prepacked);
  const auto features = features_for(space_, timed_, request_.threads);
  cost::ModelOptions options{.seed = request_.seed, .loss = request_.loss, .prior = !request_.blind};
  std::vector<tune::Teacher> teachers;
  if (database_ != nullptr && replayed_) {
    for (const db::Note& note : database_->notes(*database_->find(key_)).sound)
      if (note.run == replayed_->id && note.name == tune::learned_from)
        teachers = tune::teachers_in(*database_, note.text);
  } else if (database_ != nullptr && !request_.blind) {
    teachers = tune::teachers_of(*database_, key_);
    if (!teachers.empty())
      database_->add_notes(task_, {{.run = run_,
                                    .name = std::string(tune::learned_from),
                                    .text = tune::to_note(teachers),
                                    .taken_at = std::time(nullptr)}});
  }
  options.others = tune::lessons_of(teachers, *features);
  learned_.shapes = options.others.size();
  for (const cost::OtherTask& other : options.others) learned_.records += other.trials.size();
  model_ = cost::make_boosted_model(features, options);
}

tune::TuneOptions TuneSession::tuner_options(std::function<bool()> stop,
                                             std::function<void(const db::Trial&)> recorded) {
  tune::TuneOptions options{.method = &*request_.method,
                            .method_options = request_.method_options,
                            .seed = request_.seed,
                            .blind = request_.blind};
  options.trials = request_.trials    ? *request_.trials
                   : request_.seconds ? std::numeric_limits<std::int64_t>::max() / 2
                                      : usual_trials;
  options.batch = request_.batch > 0 ? request_.batch : tune::batch_for(likely_trials(request_));
  // Most of a trial is compiling, which all cores do at once: a batch has something for each.
  constexpr std::size_t least_on_gpu = 16;
  if (request_.batch == 0 && is_on_gpu()) options.batch = std::max(options.batch, least_on_gpu);
  options.run = run_;
  options.stop = std::move(stop);
  options.recorded = std::move(recorded);
  options.told = [this](const tune::Progress& progress) {
    if (told) told(progress);
  };
  if (request_.replay) {
    if (request_.resume) options.earlier = asked_for(replayed_->before);
    // The winner may have been one of an earlier run.
    for (const db::Trial& trial : replayed_->duelists)
      if (trial.method == db::duel) options.incumbent = trial;
    return options;
  }
  if (request_.seconds) {
    const double for_libraries = at_first_.libraries.empty() ? 0 : last_library_s;
    options.seconds = *request_.seconds - elapsed() - for_libraries;
    require(options.seconds > 0, "--seconds {}: making the space of {} took {:.1f} s already; give more time",
            *request_.seconds, title_, elapsed());
  }
  if (database_ != nullptr && !request_.blind) {
    if (request_.resume) options.earlier = asked_for(database_->trials(task_).sound);
    options.incumbent = database_->best(task_);
  }
  return options;
}

bool TuneSession::step() { return tuner_->step(); }

void TuneSession::rest() {
  if (auto* workers = dynamic_cast<Workers*>(measurer_.get())) workers->rest();
}

std::optional<PeakShare> TuneSession::share_at(double seconds) const {
  if (!work_ || request_.replay || is_simulated() || is_on_gpu()) return std::nullopt;
  return peak_share(program_, *work_, seconds, request_.threads, std::nullopt, peaks_);
}

std::string TuneSession::line(const tune::Progress& progress) const {
  std::string text = title_ + ": ";
  if (progress.best_s) {
    const double best = *progress.best_s;
    text +=
        work_ ? fmt::format("best {:.4g} Gop/s", work_->operations / best / 1e9) : "best " + time_text(best);
    if (const auto share = share_at(best)) text += fmt::format(", {:.0f} % of peak", 100 * share->share);
    if (!at_first_.libraries.empty())
      text +=
          fmt::format(", {:.2f} × {}", at_first_.libraries[0].seconds / best, at_first_.libraries[0].name);
    if (progress.default_s) text += fmt::format(", {:.2f} × default", *progress.default_s / best);
  } else {
    text += "nothing timed yet";
  }
  const bool has_end = progress.most < std::numeric_limits<std::int64_t>::max() / 4;
  text += has_end ? fmt::format("; trial {} of {}", progress.trials, progress.most)
                  : fmt::format("; trial {}", progress.trials);
  for (const auto& [outcome, count] : progress.failures)
    text += fmt::format(", {} {}", count, to_string(outcome));
  text += progress.in_duel ? "; the fastest in turns" : fmt::format("; {:.0f} s left", progress.seconds_left);
  return text;
}

TuneReport TuneSession::finish() {
  TuneReport report{.title = title_,
                    .command = command_of(request_),
                    .target = target_.name,
                    .database = database_ != nullptr ? database_->path() : "",
                    .threads = request_.threads,
                    .prepacked = request_.program.prepacked,
                    .seed = request_.seed,
                    .tuned = tuner_->finish(),
                    .why_method = why_method_,
                    .points = points_,
                    .sketches = space_.sketches.size(),
                    .learned = learned_,
                    .work = work_,
                    .counts_integers = program_.workload && !program_.workload->acc.is_float(),
                    .is_replay = request_.replay,
                    .is_simulated = is_simulated(),
                    .on_gpu = is_on_gpu()};
  rest();
  if (replayed_) report.tuned.run = replayed_->id;
  report.tuned.seconds = elapsed();
  if (model_) report.rank_correlation = model_->held_out_correlation();
  const tune::Tuned& tuned = report.tuned;
  if (tuned.standard) report.default_share = share_at(tuned.standard->trial.time->median_s);
  if (tuned.winner) report.tuned_share = share_at(tuned.winner->trial.time->median_s);
  if (tuned.winner && !at_first_.libraries.empty()) {
    // In this process: the workers have run it and compared its answers.
    report.libraries = library_times(*program_.workload, request_.threads, last_library_s,
                                     request_.program.prepacked, callable(tuned.winner->trial));
  }
  if (database_ != nullptr && !request_.replay) keep_notes(report);
  return report;
}

measure::Compiled TuneSession::callable(const db::Trial& trial) const {
  const Function scheduled = schedule::replay_trace(function_, trial.trace).program();
  if (!request_.program.prepacked) return {compile::callable(scheduled, target_)};
  const schedule::SeparatedPacking separated =
      schedule::separate_packing(scheduled, schedule::weights_of(function_));
  return {
      compile::callable(separated.main, target_),
      measure::PackedWeights{separated.parameter, separated.pack, on_backend(separated.pack, "llvm").run}};
}

void TuneSession::keep_notes(const TuneReport& report) const {
  using nlohmann::json;
  const tune::Tuned& tuned = report.tuned;
  std::vector<db::Note> notes;
  const auto add = [&](const char* name, const json& text) {
    notes.push_back({.run = tuned.run,
                     .name = name,
                     .text = text.dump(),
                     .taken_at = tuned.winner ? tuned.winner->trial.taken_at : 0});
  };
  json run = {{"method", tuned.method},     {"method_why", report.why_method}, {"seed", report.seed},
              {"trials", tuned.trials},     {"earlier", tuned.earlier},        {"seconds", tuned.seconds},
              {"search_s", tuned.search_s}, {"points", report.points},         {"sketches", report.sketches}};
  if (request_.blind) run["blind"] = true;
  if (report.learned.records > 0)
    run["learned"] = {{"records", report.learned.records}, {"shapes", report.learned.shapes}};
  if (report.rank_correlation) run["rank_correlation"] = *report.rank_correlation;
  add("run", run);
  if (tuned.standard) {
    const CallTime& time = *tuned.standard->trial.time;
    add("default", {{"median_s", time.median_s}, {"low_s", time.low_s}, {"high_s", time.high_s}});
  }
  if (!peaks_.empty()) add("peaks", peaks_);
  if (report.libraries.own_s) {
    json libraries = {{"ardea", *report.libraries.own_s}};
    for (const LibraryTime& time : report.libraries.libraries) libraries[time.name] = time.seconds;
    add("libraries", libraries);
  }
  database_->add_notes(task_, notes);
}

}  // namespace ardea::cli
