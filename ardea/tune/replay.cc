#include "ardea/tune/replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::tune {

namespace {

measure::TrialReport report_of(const db::Trial& trial) {
  return {.outcome = trial.outcome, .time = trial.time, .message = trial.message};
}

std::string in_words(const db::Trial& trial) {
  std::vector<std::string> knobs;
  for (const auto& [name, value] : trial.knobs) knobs.push_back(fmt::format("{} = {}", name, value));
  return fmt::format("{}: {}", trial.sketch, join(knobs, ", "));
}

class Recorded : public Measurer {
 public:
  explicit Recorded(RecordedRun run) : run_(std::move(run)) {}

  std::vector<measure::TrialReport> measure(const std::vector<Candidate>& candidates,
                                            const std::function<bool()>&, const Told& told) override {
    std::vector<measure::TrialReport> reports;
    for (std::size_t i = 0; i < candidates.size() && next_ < run_.trials.size(); ++i, ++next_) {
      const db::Trial& trial = run_.trials[next_];
      require(trial.trace == candidates[i].trace,
              "replay of {}: its trial {} was at another point ({}) than the search asks for now; give the "
              "options of that run, and the version of Ardea that made it",
              run_.id, trial.number, in_words(trial));
      reports.push_back(report_of(trial));
      if (told) told(i, reports.back());
    }
    return reports;
  }

  Duel duel(const std::vector<Candidate>& candidates, const std::vector<bool>&, double) override {
    Duel duel;
    for (const Candidate& candidate : candidates) {
      const auto at = std::find_if(run_.duelists.begin(), run_.duelists.end(),
                                   [&](const db::Trial& trial) { return trial.trace == candidate.trace; });
      require(
          at != run_.duelists.end(),
          "replay of {}: a point that its last duel did not have is asked for; give the options of that run",
          run_.id);
      if (at->method == db::duel) duel.winner = duel.duelists.size();
      duel.duelists.push_back({report_of(*at)});
    }
    const measure::TrialReport* first = duel.duelists.empty() ? nullptr : &duel.duelists[0].report;
    for (measure::Duelist& duelist : duel.duelists)
      if (first->time && duelist.report.time) {
        const double ratio = duelist.report.time->median_s / first->time->median_s;
        duelist.ratio = {ratio, ratio, ratio};  // the rounds are gone
      }
    return duel;
  }

 private:
  const RecordedRun run_;
  std::size_t next_ = 0;
};

}  // namespace

RecordedRun recorded_run(const db::Database& database, const db::Task& task, const std::string& method,
                         std::optional<std::uint64_t> seed, const std::string& id) {
  const auto known = database.find(task);
  require(known.has_value(), "replay: {} has no trial of {} on {}, {} threads, by this version",
          database.path(), task.workload, task.target_name, task.threads);
  const std::vector<db::Trial> all = database.trials(*known).sound;
  const auto is_of_duel = [](const db::Trial& trial) {
    return trial.method == db::duel || trial.method == in_duel;
  };
  const auto last = std::find_if(all.rbegin(), all.rend(), [&](const db::Trial& trial) {
    return !is_of_duel(trial) && (method.empty() || trial.method == method) &&
           (!seed || trial.seed == *seed) && (id.empty() || trial.run == id);
  });
  require(last != all.rend(), "replay: {} has no run of {}{}{}{}", database.path(), task.workload,
          method.empty() ? "" : " by " + method, seed ? fmt::format(" with seed {}", *seed) : "",
          id.empty() ? "" : " called " + id);
  RecordedRun run{last->run, last->method, last->seed, {}, {}, {}};
  for (const db::Trial& trial : all) {
    if (trial.run == run.id)
      (is_of_duel(trial) ? run.duelists : run.trials).push_back(trial);
    else if (run.trials.empty() && !is_of_duel(trial))
      run.before.push_back(trial);
  }
  std::stable_sort(run.trials.begin(), run.trials.end(),
                   [](const db::Trial& a, const db::Trial& b) { return a.number < b.number; });
  return run;
}

std::unique_ptr<Measurer> measured_before(RecordedRun run) {
  return std::make_unique<Recorded>(std::move(run));
}

}  // namespace ardea::tune
