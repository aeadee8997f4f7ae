#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ardea/cost/model.h"
#include "ardea/db/database.h"
#include "ardea/rules/program_space.h"
#include "ardea/search/strategy.h"
#include "ardea/tune/measurer.h"

namespace ardea::tune {

/// How far a run is.
struct Progress {
  std::int64_t trials = 0;  ///< known so far, those of earlier runs included
  std::int64_t most = 0;    ///< that the budget allows
  double seconds = 0;       ///< since the run began
  double seconds_left = 0;  ///< of the time that was given, or as the trials so far say
  std::optional<double> best_s = {}, default_s = {};  ///< of a call
  std::map<TrialOutcome, std::int64_t> failures = {};
  bool in_duel = false;
};

struct TuneOptions {
  std::int64_t trials = 64;
  double seconds = std::numeric_limits<double>::infinity();  ///< of all: searching, measuring, the duel
  const search::Method* method = nullptr;
  std::map<std::string, double> method_options = {};  ///< its own numbers, by name
  std::uint64_t seed = 1;
  /// Nothing is known ahead: no point is tried because a model of the machine chooses it, none of an earlier
  /// run. The model's point takes part in the duel, as a yardstick that cannot win.
  bool blind = false;
  /// Of the same task, known ahead: they are told first and count among the trials.
  std::vector<db::Trial> earlier = {};
  /// Of the same task, from other runs: takes part in the duel, so that no run leaves less than there was.
  std::optional<db::Trial> incumbent = {};
  std::size_t batch = 0;     ///< asked for at once; 0: by the budget
  std::size_t duelists = 4;  ///< the fastest, which the duel times once more; the default point comes on top
  double duel_s = 3;
  std::string run = {};  ///< its name in the database; empty: a new one
  std::function<bool()> stop = {};
  std::function<void(const Progress&)> told = {};
  std::function<void(const db::Trial&)> recorded = {};  ///< each trial, after it is in the database
  std::function<double()> clock = {};                   ///< seconds; empty: the steady clock
  std::function<std::int64_t()> calendar = {};          ///< seconds since 1970; empty: the system's
};

/// One of the last duel.
struct Ranked {
  db::Trial trial;               ///< with the time of the duel
  measure::Interval ratio = {};  ///< its time over the first one's, round by round
};

/// What a run found.
struct Tuned {
  std::string run, method;
  std::int64_t trials = 0, timed = 0, earlier = 0;
  std::map<TrialOutcome, std::int64_t> failures = {};
  double seconds = 0;
  double search_s = 0;       ///< of these, asking and learning
  bool was_stopped = false;  ///< by TuneOptions::stop
  /// What the model of the machine chooses, and the winner; nothing where none was timed. They may be one.
  std::optional<Ranked> standard = {}, winner = {};
  /// The default's time over the winner's, with its interval; nothing where one of them is missing.
  std::optional<measure::Interval> speedup = {};
};

/// Searches one space for the fastest program.
///
///   Tuner tuner(space, measurer, {.trials = 64, .method = &search::method("cga")}, &model, &kept);
///   while (tuner.step()) {}
///   const Tuned tuned = tuner.finish();
///
/// The same options, the same model and the same reports give the same questions.
class Tuner {
 public:
  /// Where the trials go.
  struct Kept {
    db::Database* database = nullptr;
    std::int64_t task = 0;
  };

  /// The model learns here; it may be shared with nobody. Without one the strategy goes by what it is told.
  Tuner(const rules::ProgramSpace& space, Measurer& measurer, TuneOptions options,
        cost::Model* model = nullptr, std::optional<Kept> kept = {});

  /// One batch: asked for, measured, recorded, learned from. False where nothing is left to do.
  bool step();
  /// The duel of the fastest, and what came of all. No step comes after it.
  Tuned finish();

  /// So many trials in all, in place of TuneOptions::trials: what is left of a budget that others share.
  void allow(std::int64_t trials) { options_.trials = progress_.most = trials; }

  const Progress& progress() const { return progress_; }
  /// Of a call, the fastest so far.
  std::optional<double> best_s() const { return progress_.best_s; }
  /// Until now, whoever measures may change between steps.
  void measure_by(Measurer& measurer) { measurer_ = &measurer; }

 private:
  struct Tried {
    Candidate candidate;
    db::Trial trial;
  };

  void tell_earlier();
  void note(const db::Trial& trial, const space::Choice& choice);
  void record(const std::vector<db::Trial>& trials);
  void tell_progress();
  void learn();
  db::Trial record_of(const Candidate& candidate, const measure::TrialReport& report) const;
  bool is_over() const;
  std::vector<Tried> best_tried() const;

  const rules::ProgramSpace& space_;
  Measurer* measurer_;
  TuneOptions options_;
  cost::Model* model_;
  std::optional<Kept> kept_;
  std::unique_ptr<search::Strategy> strategy_;
  std::optional<space::Choice> standard_;
  std::vector<Tried> tried_;
  std::map<space::Choice, std::size_t> places_;  ///< in `tried_`
  std::vector<cost::Known> known_;
  Progress progress_;
  double start_ = 0, search_s_ = 0;
  std::int64_t measured_ = 0, batches_ = 0;
  bool was_stopped_ = false, is_done_ = false;
};

/// How many are asked for at once where so many are tried: a model learns between batches, workers build
/// within one.
std::size_t batch_for(std::int64_t trials);

/// A name for a run that no other has.
std::string new_run_name();

}  // namespace ardea::tune
