#pragma once

#include <vector>

/// What a series of noisy measurements says.

namespace ardea::measure {

double median(std::vector<double> values);

struct Interval {
  double median = 0;
  double low = 0, high = 0;  ///< hold the true median in at least `level` of all cases
};

/// The fewest values for which median_interval can answer.
int least_values(double level = 0.95);

/// By order statistics: of n independent values each is below the true median as a coin falls, so that the
/// r-th least and r-th greatest of them hold it with a binomial probability, whatever the distribution.
/// (Noise on a shared machine is nothing like normal.) Error where there are fewer than least_values.
Interval median_interval(std::vector<double> values, double level = 0.95);

/// The quotients of two series, value by value: those of one round belong together.
std::vector<double> ratios(const std::vector<double>& numerators, const std::vector<double>& denominators);

double geometric_mean(const std::vector<double>& values);

}  // namespace ardea::measure
