#include "ardea/tune/tuner.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

#include "ardea/runtime/time_evaluator.h"
#include "ardea/support/error.h"
#include "ardea/tune/replay.h"

namespace ardea::tune {

namespace {

std::int64_t seconds_since_1970() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// Time that stays for the duel.
double duel_seconds(const TuneOptions& options) {
  return std::isfinite(options.seconds) ? std::min(options.duel_s, 0.15 * options.seconds) : options.duel_s;
}

std::vector<const space::Solver*> solvers_of(const rules::ProgramSpace& space) {
  std::vector<const space::Solver*> all;
  for (const rules::SolvedSketch& solved : space.sketches) all.push_back(solved.solver.get());
  return all;
}

}  // namespace

std::size_t batch_for(std::int64_t trials) {
  // Small budgets are worth learning from often; in large ones a model's training counts.
  return trials <= 64 ? 8 : trials <= 256 ? 16 : 32;
}

std::string new_run_name() {
  std::random_device device;
  return fmt::format("{:x}-{:x}-{:08x}", seconds_since_1970(), getpid(), device());
}

Tuner::Tuner(const rules::ProgramSpace& space, Measurer& measurer, TuneOptions options, cost::Model* model,
             std::optional<Kept> kept)
    : space_(space), measurer_(&measurer), options_(std::move(options)), model_(model), kept_(kept) {
  ensure(options_.method != nullptr, "a tuner needs a method");
  require(options_.trials >= 1, "--trials {}: must be at least 1", options_.trials);
  require(options_.seconds > 0, "--seconds {}: must be above 0", options_.seconds);
  if (!options_.clock) options_.clock = runtime::steady_seconds;
  if (!options_.calendar) options_.calendar = seconds_since_1970;
  if (options_.batch == 0) options_.batch = batch_for(options_.trials);
  if (options_.run.empty()) options_.run = new_run_name();
  start_ = options_.clock();
  progress_.most = options_.trials;
  standard_ = default_choice(space_);
  search::Setting setting{
      .sketches = solvers_of(space_), .seed = options_.seed, .options = options_.method_options};
  if (!options_.blind && standard_) setting.first.push_back(*standard_);
  if (options_.method->uses_model) setting.model = model_;
  strategy_ = options_.method->make(setting);
  tell_earlier();
}

/// What other runs found is known here, too. A point that they had several times counts once, with its last
/// result.
void Tuner::tell_earlier() {
  for (const db::Trial& trial : options_.earlier)
    if (const auto choice = choice_of(space_, trial); choice && !places_.contains(*choice))
      note(trial, *choice);
  learn();
}

void Tuner::note(const db::Trial& trial, const space::Choice& choice) {
  places_[choice] = tried_.size();
  tried_.push_back({{choice, trial.trace}, trial});
  known_.push_back({choice, trial.outcome, trial.time ? trial.time->median_s : 0});
  strategy_->tell(known_.back());
  ++progress_.trials;
  if (!trial.time) {
    ++progress_.failures[trial.outcome];
    return;
  }
  const double seconds = trial.time->median_s;
  if (!progress_.best_s || seconds < *progress_.best_s) progress_.best_s = seconds;
  if (standard_ == choice) progress_.default_s = seconds;
}

void Tuner::learn() {
  if (model_ != nullptr && options_.method->uses_model && !known_.empty()) model_->learn(known_);
}

bool Tuner::is_over() const { return options_.clock() - start_ >= options_.seconds - duel_seconds(options_); }

void Tuner::tell_progress() {
  progress_.seconds = options_.clock() - start_;
  const auto left = static_cast<double>(progress_.most - progress_.trials);
  const double by_trials = measured_ > 0 ? left * progress_.seconds / static_cast<double>(measured_) : 0;
  const double by_time = options_.seconds - progress_.seconds;
  progress_.seconds_left = std::max(0.0, std::min(by_trials + duel_seconds(options_), by_time));
  if (options_.told) options_.told(progress_);
}

db::Trial Tuner::record_of(const Candidate& candidate, const measure::TrialReport& report) const {
  db::Trial trial = tune::record_of(space_, candidate);
  trial.number = measured_ + 1;
  trial.run = options_.run;
  trial.batch = batches_;
  trial.method = options_.method->name;
  trial.seed = options_.seed;
  trial.outcome = report.outcome;
  trial.time = report.time;
  trial.message = report.message;
  trial.clock_mhz = report.clock_mhz;
  trial.taken_at = options_.calendar();
  trial.elapsed_s = options_.clock() - start_;
  return trial;
}

void Tuner::record(const std::vector<db::Trial>& trials) {
  if (kept_ && kept_->database != nullptr) kept_->database->add(kept_->task, trials);
  for (const db::Trial& trial : trials)
    if (options_.recorded) options_.recorded(trial);
}

bool Tuner::step() {
  if (is_done_) return false;
  const auto is_stopped = [&] { return options_.stop && options_.stop(); };
  is_done_ = true;
  if (is_stopped()) {
    was_stopped_ = true;
    return false;
  }
  if (progress_.trials >= options_.trials || is_over()) return false;

  const double before = options_.clock();
  const auto wanted = std::min(static_cast<std::int64_t>(options_.batch), options_.trials - progress_.trials);
  const std::vector<space::Choice> asked = strategy_->ask(static_cast<std::size_t>(wanted));
  if (asked.empty()) return false;
  std::vector<Candidate> candidates;
  std::vector<space::Choice> fresh;
  for (const space::Choice& choice : asked) {
    // A point that an earlier run had is answered by it.
    if (const auto at = places_.find(choice); at != places_.end()) {
      strategy_->tell(known_[at->second]);
      continue;
    }
    fresh.push_back(choice);
    candidates.push_back(candidate_at(space_, choice));
  }
  std::vector<std::optional<double>> predicted(fresh.size());
  if (model_ != nullptr && options_.method->uses_model && model_->is_trained() && !fresh.empty()) {
    const std::vector<cost::Prediction> predictions = model_->predict(fresh);
    for (std::size_t i = 0; i < fresh.size(); ++i) predicted[i] = predictions[i].score;
  }
  search_s_ += options_.clock() - before;

  ++batches_;
  std::vector<db::Trial> trials;
  const std::vector<measure::TrialReport> reports = measurer_->measure(
      candidates, [&] { return is_stopped() || is_over(); },
      [&](std::size_t i, const measure::TrialReport& report) {
        db::Trial trial = record_of(candidates[i], report);
        trial.predicted = predicted[i];
        record({trial});
        ++measured_;
        note(trial, candidates[i].choice);
        tell_progress();
      });

  const double learning = options_.clock();
  learn();
  search_s_ += options_.clock() - learning;
  if (reports.size() < candidates.size()) {
    was_stopped_ = is_stopped();
    return false;
  }
  is_done_ = false;
  return true;
}

/// The fastest first; a run's own trial before an equal one of another.
std::vector<Tuner::Tried> Tuner::best_tried() const {
  std::vector<Tried> timed;
  for (const Tried& tried : tried_)
    if (tried.trial.time) timed.push_back(tried);
  std::stable_sort(timed.begin(), timed.end(), [](const Tried& a, const Tried& b) {
    return a.trial.time->median_s < b.trial.time->median_s;
  });
  return timed;
}

Tuned Tuner::finish() {
  is_done_ = true;
  Tuned tuned{.run = options_.run,
              .method = options_.method->name,
              .trials = measured_,
              .earlier = progress_.trials - measured_,
              .failures = progress_.failures};
  std::vector<Tried> best = best_tried();
  tuned.timed = static_cast<std::int64_t>(best.size());
  if (best.size() > options_.duelists) best.resize(options_.duelists);

  // The default point comes first: the others' ratios are to it.
  std::vector<Candidate> candidates;
  std::vector<bool> may_win;
  const auto join = [&](Candidate candidate, bool wins) {
    const bool is_there = std::any_of(candidates.begin(), candidates.end(),
                                      [&](const Candidate& c) { return c.trace == candidate.trace; });
    if (is_there) return;
    candidates.push_back(std::move(candidate));
    may_win.push_back(wins);
  };
  const bool knows_standard = standard_ && (options_.blind || places_.contains(*standard_));
  if (knows_standard && !best.empty()) {
    const bool was_tried = places_.contains(*standard_);
    const bool failed = was_tried && !tried_[places_.at(*standard_)].trial.time;
    if (!failed) join(candidate_at(space_, *standard_), was_tried);
  }
  const bool has_standard = !candidates.empty();
  for (Tried& tried : best) join(std::move(tried.candidate), true);
  if (options_.incumbent && !options_.blind)
    if (const auto choice = choice_of(space_, *options_.incumbent))
      join({*choice, options_.incumbent->trace}, true);

  if (!best.empty()) {
    progress_.in_duel = true;
    tell_progress();
    const Measurer::Duel duel = measurer_->duel(candidates, may_win, duel_seconds(options_));
    ++batches_;
    std::vector<db::Trial> records;
    for (std::size_t i = 0; i < duel.duelists.size(); ++i) {
      db::Trial trial = record_of(candidates[i], duel.duelists[i].report);
      trial.number = measured_ + 1 + static_cast<std::int64_t>(i);
      trial.method = duel.winner == i ? db::duel : in_duel;
      records.push_back(trial);
      if (i == 0 && has_standard && trial.time) tuned.standard = Ranked{trial, duel.duelists[i].ratio};
      if (duel.winner == i) tuned.winner = Ranked{trial, duel.duelists[i].ratio};
    }
    record(records);
    if (tuned.standard && tuned.winner) {
      const measure::Interval& r = tuned.winner->ratio;
      if (r.median > 0) tuned.speedup = measure::Interval{1 / r.median, 1 / r.high, 1 / r.low};
    }
  }
  tuned.was_stopped = was_stopped_;
  tuned.seconds = options_.clock() - start_;
  tuned.search_s = search_s_;
  return tuned;
}

}  // namespace ardea::tune
