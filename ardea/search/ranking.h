#pragma once

#include <unordered_map>
#include <vector>

#include "ardea/search/ground.h"

namespace ardea::search {

/// What a model says of points while it learns nothing more: each is predicted once. A point's rank is the
/// logarithm of the speed to hope for, counting that it may fail: score + optimism · deviation +
/// ln(feasible).
class Ranking {
 public:
  explicit Ranking(const cost::Model& model, double optimism = 0) : model_(&model), optimism_(optimism) {}

  /// In the order of the choices.
  std::vector<double> of(const std::vector<space::Choice>& choices);
  /// The different ones among them, best first, at most so many, and of no sketch more than `of_sketch`; of
  /// equals the earlier.
  std::vector<space::Choice> best(const std::vector<space::Choice>& choices, std::size_t count,
                                  std::size_t of_sketch = SIZE_MAX);
  /// Every point that was ranked, in that order.
  const std::vector<space::Choice>& seen() const { return seen_; }

 private:
  const cost::Model* model_;
  double optimism_;
  std::unordered_map<space::Choice, double, HashOfChoice> ranks_;
  std::vector<space::Choice> seen_;
};

}  // namespace ardea::search
