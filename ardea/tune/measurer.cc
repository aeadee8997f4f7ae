#include "ardea/tune/measurer.h"

#include <algorithm>

#include "ardea/support/error.h"

namespace ardea::tune {

namespace {

std::vector<std::string> traces_of(const std::vector<Candidate>& candidates) {
  std::vector<std::string> traces;
  for (const Candidate& candidate : candidates) traces.push_back(candidate.trace);
  return traces;
}

measure::TrialTask with_templates(measure::TrialTask task, const rules::ProgramSpace& space) {
  for (const rules::SolvedSketch& solved : space.sketches) task.templates.push_back(solved.sketch.symbolic);
  return task;
}

measure::TrialSchedule schedule_of(const Candidate& candidate, const rules::Sketch& sketch) {
  measure::TrialSchedule::Point point{candidate.choice.sketch, {}};
  const std::vector<Parameter>& parameters = sketch.symbolic.parameters;
  for (const auto& [var, number] : rules::numbers_at(sketch, candidate.choice.point)) {
    const auto at = std::find_if(parameters.begin(), parameters.end(),
                                 [&, &var = var](const Parameter& p) { return p.var == var; });
    ensure(at != parameters.end(), "the variable {} is no parameter of its sketch", var.name());
    point.numbers.emplace_back(at - parameters.begin(), number);
  }
  return {candidate.trace, std::move(point)};
}

class Workers : public Measurer {
 public:
  Workers(const rules::ProgramSpace& space, measure::TrialTask task, measure::TrialOptions options)
      : space_(space), trials_(with_templates(std::move(task), space), with_stop(std::move(options))) {}

  std::vector<measure::TrialReport> measure(const std::vector<Candidate>& candidates,
                                            const std::function<bool()>& stop, const Told& told) override {
    stop_ = stop;
    std::vector<measure::TrialSchedule> schedules;
    for (const Candidate& candidate : candidates)
      schedules.push_back(schedule_of(candidate, space_.sketches.at(candidate.choice.sketch).sketch));
    return trials_.measure_schedules(schedules, told);
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

  const rules::ProgramSpace& space_;
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

std::unique_ptr<Measurer> measured_by_workers(const rules::ProgramSpace& space, measure::TrialTask task,
                                              measure::TrialOptions options) {
  return std::make_unique<Workers>(space, std::move(task), std::move(options));
}

}  // namespace ardea::tune
