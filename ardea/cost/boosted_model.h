#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ardea/cost/features.h"
#include "ardea/cost/model.h"

namespace ardea::cost {

/// What is known of another task, on the same target: programs of it and their times.
struct OtherTask {
  struct Trial {
    std::vector<float> row;  ///< Features::row_of
    double seconds = 0;
  };
  std::vector<Trial> trials;
};

/// What decides how a model learns.
struct ModelOptions {
  std::uint64_t seed = 1;
  /// Which of two points is faster (rank), or how fast each is (regression).
  Loss loss = Loss::rank;
  /// Save their loss and seed. 0 rounds: more, the more is known.
  Boosting trees = {.rounds = 0, .depth = 5, .rate = 0.1, .columns_share = 0.3};
  int members = 4;  ///< that learn from samples of their own, at least 2: their mean predicts
  /// Begin with the cycles that a simple model of the machine counts (analytic_model.h): the trees learn in
  /// what that is wrong. Then predictions say something before anything is known.
  bool prior = true;
  /// Where this space has few trials of its own, what others have taught. Their times are compared within
  /// each task alone.
  std::vector<OtherTask> others = {};
};

/// Boosted trees over the features of a space's choices, and beside them a Gaussian process over the same
/// features, which knows more where little is known: what is predicted lies between the two. Each tree member
/// learns from a bootstrap sample of what was timed: how much they disagree, and how far from known points
/// one is, makes the deviation; what a member has not seen, and points left out one by one, tell how good
/// it is. Trials that were not timed teach whether others will be; where none has failed, all are feasible.
/// Trained from the fourth point of a time of its own on; by other tasks or with a prior from the start.
std::unique_ptr<Model> make_boosted_model(std::shared_ptr<const Features> features,
                                          const ModelOptions& options = {});

}  // namespace ardea::cost
