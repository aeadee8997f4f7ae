#pragma once

#include <vector>

namespace ardea::cost {

/// Spearman's: 1 where both order alike, −1 where they order in reverse. Equal values share the mean of their
/// ranks. 0 where there are fewer than two, or where all on one side are equal. Both are as long.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace ardea::cost
