#pragma once

#include <vector>

#include "ardea/cost/booster.h"

namespace ardea::cost {

/// A Gaussian process over rows: labels that vary smoothly with the numbers, so that a few dozen rows tell
/// much of others, and how sure that is. Columns count alike, each by how far it spreads over the rows that
/// were learned from; one that does not vary there, or that is nominal, counts for nothing, and a missing
/// number is an average one. How smooth the labels are and how noisy is what makes them likeliest. The same
/// answers for the same rows, in any order up to rounding.
class GaussianProcess {
 public:
  /// At least two rows whose labels differ. `ignored`: columns whose numbers are names. `prior`: what
  /// somebody expects of each row; it is believed as far as that makes the labels likely, from not at all to
  /// wholly.
  GaussianProcess(const Rows& rows, const std::vector<double>& labels,
                  const std::vector<std::size_t>& ignored = {}, const std::vector<double>& prior = {});

  struct Answer {
    double mean = 0, deviation = 0;
  };
  /// One for each row, which has the columns of those that were learned from; what the prior says comes on
  /// top of it, `belief()` times.
  std::vector<Answer> predict(const Rows& rows) const;
  double belief() const { return belief_; }
  /// What each row would be predicted if all but it were known, the prior included.
  const std::vector<double>& left_out() const { return left_out_; }

 private:
  std::vector<double> scaled(const Rows& rows) const;

  struct Column {
    std::size_t place = 0;
    double middle = 0, scale = 1;
  };
  std::vector<Column> columns_;
  std::vector<double> known_;    ///< scaled rows
  std::vector<double> lower_;    ///< Cholesky's factor of their covariances
  std::vector<double> weights_;  ///< of the rows in a mean
  std::vector<double> left_out_;
  double middle_ = 0, length_ = 1, noise_ = 0, variance_ = 0, belief_ = 0;
};

}  // namespace ardea::cost
