#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ardea/cost/features.h"
#include "ardea/cost/model.h"

namespace ardea::cost {

/// What decides how a model learns.
struct ModelOptions {
  std::uint64_t seed = 1;
  /// Which of two points is faster (rank), or how fast each is (regression).
  Loss loss = Loss::rank;
  int members = 4;  ///< that learn from samples of their own, at least 2: their mean predicts
};

/// Boosted trees over the features of a space's choices. Each of its members learns from a bootstrap sample
/// of what was timed: how much they disagree is the deviation, and what a member has not seen tells how good
/// it is. Trials that were not timed teach whether others will be; where none has failed, all are feasible.
/// Trained by the fourth point of a time of its own.
std::unique_ptr<Model> make_boosted_model(std::shared_ptr<const Features> features,
                                          const ModelOptions& options = {});

}  // namespace ardea::cost
