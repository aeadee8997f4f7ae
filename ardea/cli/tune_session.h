#pragma once

#include <memory>
#include <optional>
#include <string>

#include "ardea/cli/library_times.h"
#include "ardea/cli/live_line.h"
#include "ardea/cli/program.h"
#include "ardea/cli/rates.h"
#include "ardea/cost/boosted_model.h"
#include "ardea/db/database.h"
#include "ardea/measure/trials.h"
#include "ardea/search/strategy.h"
#include "ardea/tune/replay.h"
#include "ardea/tune/tuner.h"

namespace ardea::cli {

/// One task, as a command line, a suite or a file of Heron's asks for it.
struct TuneRequest {
  ProgramOptions program;
  std::string target = "host";
  int threads = 1;
  bool names_threads = false;                         ///< they are not those that other commands take
  std::optional<std::int64_t> trials = {};            ///< neither: 64
  std::optional<double> seconds = {};                 ///< for all, from the first moment on
  std::optional<search::Method> method = {};          ///< nothing: by the budget
  std::map<std::string, double> method_options = {};  ///< its numbers by name (search::Method)
  std::uint64_t seed = 1;
  bool blind = false, resume = false, replay = false;
  std::size_t batch = 0;  ///< 0: by the budget
  measure::TrialOptions limits = {};
  cost::Loss loss = cost::Loss::rank;
  bool against_libraries = true;
};

/// Error where it is nothing that could be tuned here: to be asked before anything is written.
void require_tunable(const TuneRequest& request);

/// What a model began with: trials of other shapes of the operator.
struct LearnedFrom {
  std::size_t records = 0, shapes = 0;
};

/// What came of a task, with what it is compared with.
struct TuneReport {
  std::string title;    ///< the operator with its types, or the file
  std::string command;  ///< how it is named on a command line
  std::string target, database;
  int threads = 1;
  bool prepacked = false;
  std::uint64_t seed = 1;
  tune::Tuned tuned;
  std::string why_method;  ///< a sentence; empty where it was asked for
  double points = 0;
  std::size_t sketches = 0;
  LearnedFrom learned = {};
  std::optional<measure::Work> work = {};
  std::optional<PeakShare> default_share = {}, tuned_share = {};
  LibraryTimes libraries = {};
  std::optional<double> rank_correlation = {};  ///< of the model, on what it had not seen
  bool counts_integers = false;                 ///< its operations are no floating-point ones
  bool is_replay = false;
  bool is_simulated = false;  ///< cycles by a model, answers by the interpreter
  bool on_gpu = false;        ///< its threads are multiprocessors
};

/// A task while it is tuned: its space, model, workers and records.
class TuneSession {
 public:
  /// Without a database nothing is kept.
  TuneSession(TuneRequest request, db::Database* database, std::function<bool()> stop,
              std::function<void(const db::Trial&)> recorded = {});
  ~TuneSession();
  TuneSession(const TuneSession&) = delete;
  TuneSession& operator=(const TuneSession&) = delete;

  /// A batch; false where nothing is left to do.
  bool step();
  /// So many trials of it in all (Tuner::allow).
  void allow(std::int64_t trials) { tuner_->allow(trials); }
  /// Lets the workers go; the next batch starts others.
  void rest();
  TuneReport finish();

  const std::string& title() const { return title_; }
  const tune::Progress& progress() const { return tuner_->progress(); }
  std::optional<measure::Work> work() const { return work_; }
  const Program& program() const { return program_; }
  /// "gemm 64,64,64: 12.1 GFLOP/s, 80 % of peak, 1.02 × openblas, …".
  std::string line(const tune::Progress& progress) const;
  std::function<void(const tune::Progress&)> told;  ///< whoever shows progress

 private:
  class Workers;
  tune::TuneOptions tuner_options(std::function<bool()> stop, std::function<void(const db::Trial&)> recorded);
  void choose_method();
  void make_model();
  /// The program of a trial, to be called here.
  measure::Compiled callable(const db::Trial& trial) const;
  void keep_notes(const TuneReport& report) const;
  double elapsed() const;
  bool is_simulated() const { return target_.kind == target::Kind::accelerator; }
  bool is_on_gpu() const { return target_.kind == target::Kind::cuda; }
  std::optional<PeakShare> share_at(double seconds) const;

  const double start_;
  const std::string run_ = tune::new_run_name();
  TuneRequest request_;
  const target::Target target_;  ///< as the threads see it
  const Program program_;
  const Function& function_;
  std::string title_;
  db::Task key_;
  db::Database* database_;
  std::int64_t task_ = 0;
  rules::ProgramSpace space_;
  double points_ = 0;
  std::string why_method_;
  std::optional<measure::Work> work_;
  std::map<std::string, double> peaks_;  ///< measured in this run, of its threads
  LibraryTimes at_first_;
  LearnedFrom learned_;
  std::vector<Function> timed_;  ///< of each sketch, what the model looks at
  std::unique_ptr<cost::Model> model_;
  std::optional<tune::RecordedRun> replayed_;
  std::unique_ptr<tune::Measurer> measurer_;
  std::unique_ptr<tune::Tuner> tuner_;
};

}  // namespace ardea::cli
