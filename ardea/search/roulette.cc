#include "ardea/search/roulette.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ardea::search {

std::size_t roulette(const std::vector<double>& weights, Random& random) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!(sum > 0)) return static_cast<std::size_t>(random.integer(0, std::ssize(weights) - 1));
  double rest = random.real() * sum;
  std::size_t last = 0;  // that can be taken: rounding may leave a rest behind it
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] > 0)) continue;
    last = i;
    if (rest < weights[i]) break;
    rest -= weights[i];
  }
  return last;
}

std::vector<double> weights_of(const std::vector<double>& scores, double temperature) {
  std::vector<double> weights;
  if (scores.empty()) return weights;
  const double best = *std::max_element(scores.begin(), scores.end());
  for (const double score : scores) weights.push_back(std::exp((score - best) / temperature));
  return weights;
}

}  // namespace ardea::search
