#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ardea/measure/canary.h"
#include "ardea/measure/trials.h"
#include "ardea/measure/worker_process.h"

/// What the answers of workers mean for the candidates that they were asked about. A candidate runs in the
/// process that answers, so that nothing in an answer is taken on trust.

namespace ardea::measure {

TrialReport failure(TrialOutcome outcome, std::string sentence);
/// Of an answer that is none.
TrialReport no_answer();

/// What a failed answer, or the end of a worker, means for the candidate at that stage; nothing for another
/// answer.
std::optional<TrialReport> failure_of(const WorkerReply& reply, bool building);

/// What the runner answers about a candidate.
struct Ran {
  CallTime time;
  bool raced = false;
  std::optional<CanaryReading> canary = {};  ///< of the processor; none of a GPU
  std::optional<CallTime> ratio = {};        ///< its times over the incumbent's, turn by turn
  std::optional<CallTime> rival_time = {};   ///< the incumbent's
  std::optional<double> clock_mhz = {};      ///< of a GPU, behind the last sample
};
/// Nothing where it is no such answer.
std::optional<Ran> ran_from(const std::string& text);

/// What it answers about one of a duel.
struct Fought {
  CallTime time;
  Interval ratio;
  std::optional<double> clock_mhz = {};  ///< of a GPU, behind the last round
};
/// None where it is no such answer.
std::vector<Fought> fought_from(const std::string& text);

}  // namespace ardea::measure
