#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ardea/space/choice.h"
#include "ardea/support/trial_outcome.h"

namespace ardea::cost {

/// What is known of a choice: what a model learns from.
struct Known {
  space::Choice choice;
  TrialOutcome outcome = TrialOutcome::timed;
  double seconds = 0;  ///< of a timed one
};

/// What a model expects of a choice that was not measured.
struct Prediction {
  double score =
      0;  ///< greater is faster: an estimate of ln(1 / seconds) up to a constant, the same for all choices
  double deviation = 0;  ///< of the score, as the model's own parts disagree; 0 where it cannot say
  double feasible = 1;   ///< the probability that the trial will be timed
};

/// Predicts how fast the points of one space are. Answers depend on what was learned and on the seed that it
/// was made with, and on nothing else.
class Model {
 public:
  virtual ~Model() = default;

  /// From all that is known of this space, anew.
  virtual void learn(const std::vector<Known>& known) = 0;
  /// Whether predictions say anything: before, whoever asks goes by chance.
  virtual bool is_trained() const = 0;
  virtual std::vector<Prediction> predict(const std::vector<space::Choice>& choices) const = 0;
  /// How much each knob of a sketch matters to the predictions, in the order of its system's knobs: at least
  /// 0, with the sum 1 (all alike where nothing is known).
  virtual std::vector<double> importance(std::size_t sketch) const = 0;
  /// The rank correlation of predicted and measured speed over points that were held out while learning:
  /// what the log tells people. Nothing where too little is known.
  virtual std::optional<double> held_out_correlation() const { return std::nullopt; }
};

}  // namespace ardea::cost
