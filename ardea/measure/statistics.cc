#include "ardea/measure/statistics.h"

#include <algorithm>
#include <cmath>

#include "ardea/support/error.h"

namespace ardea::measure {

namespace {

/// How many values may be left out at each end: the greatest r such that a fair coin, thrown n times, shows
/// fewer than r heads or fewer than r tails with a probability of at most 1 - level. 0 where there is none.
std::size_t trimmed(std::size_t n, double level) {
  double term = std::pow(0.5, static_cast<double>(n)), tail = 0;
  std::size_t r = 0;
  while (r < n / 2) {
    tail += term;
    if (2 * tail > 1 - level) break;
    ++r;
    term *= static_cast<double>(n - r + 1) / static_cast<double>(r);
  }
  return r;
}

}  // namespace

double median(std::vector<double> values) {
  require(!values.empty(), "median: there are no values");
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

int least_values(double level) {
  int n = 1;
  while (trimmed(static_cast<std::size_t>(n), level) == 0) ++n;
  return n;
}

Interval median_interval(std::vector<double> values, double level) {
  require(level > 0 && level < 1, "median_interval: the level is {}, it must be between 0 and 1", level);
  const std::size_t r = trimmed(values.size(), level);
  require(r > 0, "median_interval: {} values are too few for an interval of {:g} %, which needs at least {}",
          values.size(), 100 * level, least_values(level));
  std::sort(values.begin(), values.end());
  return {median(values), values[r - 1], values[values.size() - r]};
}

std::vector<double> ratios(const std::vector<double>& numerators, const std::vector<double>& denominators) {
  require(numerators.size() == denominators.size(), "ratios: {} values over {}", numerators.size(),
          denominators.size());
  std::vector<double> quotients;
  for (std::size_t i = 0; i < numerators.size(); ++i) quotients.push_back(numerators[i] / denominators[i]);
  return quotients;
}

double geometric_mean(const std::vector<double>& values) {
  require(!values.empty(), "geometric_mean: there are no values");
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

}  // namespace ardea::measure
