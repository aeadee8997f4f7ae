#include "ardea/cost/rank_correlation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ardea/support/error.h"

namespace ardea::cost {

namespace {

std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = static_cast<double>(begin + end - 1) / 2;
    begin = end;
  }
  return ranks;
}

}  // namespace

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  ensure(a.size() == b.size(), "rank_correlation: {} values beside {}", a.size(), b.size());
  if (a.size() < 2) return 0;
  const std::vector<double> left = ranks_of(a), right = ranks_of(b);
  const double mean = static_cast<double>(a.size() - 1) / 2;
  double both = 0, of_left = 0, of_right = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += (left[i] - mean) * (right[i] - mean);
    of_left += (left[i] - mean) * (left[i] - mean);
    of_right += (right[i] - mean) * (right[i] - mean);
  }
  return of_left > 0 && of_right > 0 ? both / std::sqrt(of_left * of_right) : 0;
}

}  // namespace ardea::cost
