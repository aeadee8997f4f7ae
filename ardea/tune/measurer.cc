#include "ardea/tune/measurer.h"

namespace ardea::tune {

namespace {

std::vector<std::string> traces_of(const std::vector<Candidate>& candidates) {
  std::vector<std::string> traces;
  for (const Candidate& candidate : candidates) traces.push_back(candidate.trace);
  return traces;
}

class Workers : public Measurer {
 public:
  Workers(measure::TrialTask task, measure::TrialOptions options)
      : trials_(std::move(task), with_stop(std::move(options))) {}

  std::vector<measure::TrialReport> measure(const std::vector<Candidate>& candidates,
                                            const std::function<bool()>& stop, const Told& told) override {
    stop_ = stop;
    return trials_.measure(traces_of(candidates), told);
  }

  Duel duel(const std::vector<Candidate>& candidates, const std::vector<bool>& may_win,
            double seconds) override {
    stop_ = {};
    Duel duel{trials_.duel(traces_of(candidates), seconds)};
    duel.winner = winner_of(duel.duelists, may_win);
    return duel;
  }

 private:
  measure::TrialOptions with_stop(measure::TrialOptions options) {
    options.stop = [this] { return stop_ && stop_(); };
    return options;
  }

  std::function<bool()> stop_;  ///< of the batch that is measured
  measure::Trials trials_;
};

}  // namespace

std::optional<std::size_t> winner_of(const std::vector<measure::Duelist>& duelists,
                                     const std::vector<bool>& may_win) {
  const bool first_holds =
      !duelists.empty() && may_win[0] && duelists[0].report.outcome == TrialOutcome::timed;
  std::optional<std::size_t> winner;
  for (std::size_t i = 0; i < duelists.size(); ++i) {
    if (!may_win[i] || duelists[i].report.outcome != TrialOutcome::timed) continue;
    if (i > 0 && first_holds && duelists[i].ratio.high >= 1) continue;
    if (!winner || duelists[i].ratio.median < duelists[*winner].ratio.median) winner = i;
  }
  return winner;
}

std::unique_ptr<Measurer> measured_by_workers(measure::TrialTask task, measure::TrialOptions options) {
  return std::make_unique<Workers>(std::move(task), std::move(options));
}

}  // namespace ardea::tune
