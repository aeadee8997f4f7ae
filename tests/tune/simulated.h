#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "ardea/ops/registry.h"
#include "ardea/search/strategy.h"
#include "ardea/tune/measurer.h"
#include "ardea/tune/tuner.h"

/// A search without machines: a space of a small product, times by a formula, a clock that trials move.

namespace ardea::tune {

inline const rules::ProgramSpace& small_space() {
  static const rules::ProgramSpace space = [] {
    const target::Target target = target::find("generic-aarch64");
    const Function program =
        ops::create_function(ops::make_workload({.op = "gemm", .sizes = {24, 16, 20}}), "main");
    return rules::program_space(program, target, rules::rules_for(target), {.threads = 1});
  }();
  return space;
}

inline db::Task simulated_task() {
  return {.workload = "gemm 24,16,20",
          .program = "p",
          .target_name = "t",
          .target = "{}",
          .threads = 1,
          .compiler = "c",
          .protocol = "simulated"};
}

/// Seconds of a call: a bowl over the logarithms of the knobs, deeper in later sketches.
inline double simulated_seconds(const space::Choice& choice) {
  const space::System& system = small_space().sketches[choice.sketch].sketch.system;
  double far = 0;
  for (const space::Var knob : system.knobs())
    far +=
        std::abs(std::log2(static_cast<double>(choice.point[static_cast<std::size_t>(knob.index)]) + 1) - 2);
  return 1e-3 * (1 + far) / (1 + 0.1 * static_cast<double>(choice.sketch));
}

class Simulated : public Measurer {
 public:
  double now = 0;
  double trial_s = 1;  ///< what one trial takes
  std::function<measure::TrialReport(const space::Choice&)> report_of = [](const space::Choice& choice) {
    const double seconds = simulated_seconds(choice);
    return measure::TrialReport{.time = CallTime{seconds, 0.9 * seconds, 1.1 * seconds}};
  };
  std::vector<Candidate> measured;
  std::vector<Candidate> dueled;

  std::vector<measure::TrialReport> measure(const std::vector<Candidate>& candidates,
                                            const std::function<bool()>& stop, const Told& told) override {
    std::vector<measure::TrialReport> reports;
    for (std::size_t i = 0; i < candidates.size() && !stop(); ++i) {
      now += trial_s;
      measured.push_back(candidates[i]);
      reports.push_back(report_of(candidates[i].choice));
      told(i, reports.back());
    }
    return reports;
  }

  /// Without any luck.
  Duel duel(const std::vector<Candidate>& candidates, const std::vector<bool>& may_win,
            double seconds) override {
    dueled = candidates;
    now += seconds;
    Duel duel;
    const double first = simulated_seconds(candidates[0].choice);
    for (const Candidate& candidate : candidates) {
      const double own = simulated_seconds(candidate.choice), ratio = own / first;
      duel.duelists.push_back(
          {{.time = CallTime{own, 0.99 * own, 1.01 * own}}, {ratio, 0.99 * ratio, 1.01 * ratio}});
    }
    duel.winner = winner_of(duel.duelists, may_win);
    return duel;
  }
};

/// Asks for what is to come first, then by chance; goes by what it was told only in that the better half of
/// its points comes from the sketch of the best one: another answer is another question.
class Chance : public search::Strategy {
 public:
  explicit Chance(const search::Setting& setting) : setting_(setting) {}

  std::vector<space::Choice> ask(std::size_t count, const search::Extra&) override {
    std::vector<space::Choice> choices;
    for (; next_ < setting_.first.size() && choices.size() < count; ++next_)
      add(choices, setting_.first[next_]);
    for (int tries = 0; choices.size() < count && tries < 1000; ++tries, ++draws_) {
      const std::size_t any = (setting_.seed + draws_) % setting_.sketches.size();
      const std::size_t sketch = best_ && draws_ % 2 == 0 ? best_->choice.sketch : any;
      const auto sample = setting_.sketches[sketch]->sample(1, 1000 * setting_.seed + draws_);
      if (!sample.points.empty()) add(choices, {sketch, sample.points[0]});
    }
    return choices;
  }
  void tell(const cost::Known& result) override {
    told.push_back(result);
    if (result.outcome == TrialOutcome::timed && (!best_ || result.seconds < best_->seconds)) best_ = result;
  }

  std::vector<cost::Known> told;

 private:
  void add(std::vector<space::Choice>& choices, const space::Choice& choice) {
    if (asked_.insert(choice).second) choices.push_back(choice);
  }

  search::Setting setting_;
  std::set<space::Choice> asked_;
  std::optional<cost::Known> best_;
  std::size_t next_ = 0;
  std::uint64_t draws_ = 0;
};

/// The strategy that was made last stays with whoever runs the tuner.
inline search::Method chance(Chance** made = nullptr, search::Setting* setting = nullptr,
                             bool uses_model = false) {
  search::Method method{.name = "chance", .summary = "by chance", .uses_model = uses_model};
  method.make = [=](const search::Setting& given) {
    auto strategy = std::make_unique<Chance>(given);
    if (made != nullptr) *made = strategy.get();
    if (setting != nullptr) *setting = given;
    return strategy;
  };
  return method;
}

inline Tuned run_to_the_end(Tuner& tuner) {
  while (tuner.step()) {}
  return tuner.finish();
}

}  // namespace ardea::tune
