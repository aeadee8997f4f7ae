#include "ardea/tune/simulation.h"

#include "ardea/lower/limits_of.h"
#include "ardea/lower/passes.h"
#include "ardea/measure/check.h"
#include "ardea/measure/inputs.h"
#include "ardea/measure/simulate.h"
#include "ardea/runtime/time_evaluator.h"
#include "ardea/schedule/replay_trace.h"
#include "ardea/support/error.h"

namespace ardea::tune {

namespace {

class Simulation : public Measurer {
 public:
  Simulation(const Function& program, const target::Target& target, std::uint64_t seed)
      : program_(program),
        target_(target),
        arguments_(measure::make_arguments(program, {.seed = seed})),
        expected_(program, arguments_) {}

  std::vector<measure::TrialReport> measure(const std::vector<Candidate>& candidates,
                                            const std::function<bool()>& stop, const Told& told) override {
    std::vector<measure::TrialReport> reports;
    for (std::size_t i = 0; i < candidates.size() && !stop(); ++i) {
      reports.push_back(report_of(candidates[i]));
      told(i, reports.back());
    }
    return reports;
  }

  Duel duel(const std::vector<Candidate>& candidates, const std::vector<bool>& may_win, double) override {
    Duel duel;
    for (const Candidate& candidate : candidates) duel.duelists.push_back({report_of(candidate), {}});
    const auto& first = duel.duelists.at(0).report.time;
    for (measure::Duelist& duelist : duel.duelists)
      if (first && duelist.report.time) {
        const double ratio = duelist.report.time->median_s / first->median_s;
        duelist.ratio = {ratio, ratio, ratio};
      }
    duel.winner = winner_of(duel.duelists, may_win);
    return duel;
  }

 private:
  measure::TrialReport report_of(const Candidate& candidate) const {
    const double start = runtime::steady_seconds();
    measure::TrialReport report;
    try {
      const Function scheduled = schedule::replay_trace(program_, candidate.trace).program();
      const std::vector<interp::Argument> after = measure::copy_arguments(arguments_);
      const measure::SimulatedRun run = measure::simulate(
          lower::compact_allocations(lower::placed(scheduled, target_), target_), target_, after);
      if (expected_.compare(after).agrees())
        report.time = CallTime{run.seconds, run.seconds, run.seconds};
      else
        report = {.outcome = TrialOutcome::wrong_answer,
                  .message = "its answers are not those of the program"};
    } catch (const Error& error) {
      report = {.outcome = TrialOutcome::compile_failed, .message = error.what()};
    }
    report.run_s = runtime::steady_seconds() - start;
    return report;
  }

  const Function program_;
  const target::Target target_;
  const std::vector<interp::Argument> arguments_;
  const measure::Expectation expected_;
};

}  // namespace

std::unique_ptr<Measurer> measured_by_simulation(const Function& program, const target::Target& target,
                                                 std::uint64_t seed) {
  return std::make_unique<Simulation>(program, target, seed);
}

}  // namespace ardea::tune
