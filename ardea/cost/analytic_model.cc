#include "ardea/cost/analytic_model.h"

#include <algorithm>
#include <cmath>

namespace ardea::cost {

namespace {

/// Cycles that are as good as none, and that no program takes.
constexpr double least_cycles = 1, most_cycles = 1e18;

class AnalyticModel : public Model {
 public:
  explicit AnalyticModel(std::shared_ptr<const Features> features) : features_(std::move(features)) {}

  void learn(const std::vector<Known>&) override {}
  bool is_trained() const override { return true; }

  std::vector<Prediction> predict(const std::vector<space::Choice>& choices) const override {
    std::vector<Prediction> predictions;
    for (const space::Choice& choice : choices) {
      double cycles = most_cycles;
      if (const auto program = features_->program_at(choice))
        cycles = std::clamp((*program)[static_cast<std::size_t>(Feature::cycles)], least_cycles, most_cycles);
      predictions.push_back({.score = std::log(most_cycles / cycles)});
    }
    return predictions;
  }

  std::vector<double> importance(std::size_t sketch) const override {
    const std::size_t knobs = features_->sketches()[sketch].system->knobs().size();
    return std::vector<double>(knobs, 1 / static_cast<double>(knobs));
  }

 private:
  std::shared_ptr<const Features> features_;
};

}  // namespace

std::unique_ptr<Model> make_analytic_model(std::shared_ptr<const Features> features) {
  return std::make_unique<AnalyticModel>(std::move(features));
}

}  // namespace ardea::cost
