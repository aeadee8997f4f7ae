#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ardea/ir/function.h"
#include "ardea/measure/statistics.h"
#include "ardea/support/trial_outcome.h"
#include "ardea/target/target.h"

/// Schedules of one program, built, checked and timed in processes that may die.

namespace ardea::measure {

/// What is tried: schedules of this program, on arguments made from the seed.
struct TrialTask {
  Function program;
  target::Target target;
  int threads = 1;
  std::uint64_t seed = 0;
  std::map<std::string, std::int64_t> sizes = {};  ///< of symbolic extents, by name
  /// The parameter that schedules pack by a function of its own, which runs once and is not timed; empty:
  /// none.
  std::string prepacked = {};
};

struct TrialOptions {
  /// By the clock on the wall, of one schedule: at the end of it the worker is killed. Once there is an
  /// incumbent, running one ends earlier: at eight times what the incumbent's own run took, and two seconds.
  double build_limit_s = 50, run_limit_s = 50;
  /// Until a worker is ready (it makes the arguments), and until the reference is there.
  double start_limit_s = 60, reference_limit_s = 600;
  std::int64_t memory_limit_bytes = std::int64_t{4} << 30;  ///< of a worker, beside arguments
  std::int64_t file_limit_bytes = std::int64_t{256} << 20;  ///< that it may write
  int build_workers = 0;                                    ///< 0: the cores that do not time, at least one
  /// The program whose `worker` command the workers are; empty: this one.
  std::string program = {};
  double precision = 0.01;  ///< of a time: how far the ends of its interval may be from it
  double timing_s = 0.3;    ///< after which a time is as it is; on a GPU at most 0.05
  /// Asked between trials: true ends the batch early.
  std::function<bool()> stop = {};
};

/// What came of one schedule.
struct TrialReport {
  TrialOutcome outcome = TrialOutcome::timed;
  std::optional<CallTime> time = {};     ///< of a timed one
  std::string message = {};              ///< of a failure: one sentence
  double build_s = 0, run_s = 0;         ///< what the trial cost
  std::optional<double> clock_mhz = {};  ///< of a GPU, when it was timed
  bool raced = false;  ///< clearly slower than the incumbent: the time is that of few samples, between the
                       ///< least and the greatest of them
};

/// The time of one schedule beside the first of a duel.
struct Duelist {
  TrialReport report;
  Interval ratio = {};  ///< its time over the first one's, round by round
};

/// Workers and what they share. Used by the thread that made it, with which the workers end.
class Trials {
 public:
  Trials(TrialTask task, TrialOptions options = {});
  ~Trials();

  /// Schedules are traces in JSON, replayed on the task's program. Reports are in the order of the traces,
  /// each also told as soon as all before it are known; fewer where `stop` said so. A schedule that is
  /// clearly slower than the incumbent, the fastest so far, is timed briefly. Error where the task itself
  /// cannot be tried: its reference fails, or no worker can be started.
  std::vector<TrialReport> measure(const std::vector<std::string>& traces,
                                   const std::function<void(std::size_t, const TrialReport&)>& told = {});

  /// Times a few against each other, in turns, for so many seconds: what crowns a winner.
  std::vector<Duelist> duel(const std::vector<std::string>& traces, double seconds);

 private:
  class Workers;
  std::unique_ptr<Workers> workers_;
};

/// How times are taken on such a machine, with its version: part of a database's key. Of weights that are
/// packed before the calls that are timed it is another one.
std::string protocol(target::Kind machine, bool prepacked = false);

}  // namespace ardea::measure
