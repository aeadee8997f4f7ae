#include "ardea/measure/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ardea/support/error.h"
#include "ardea/support/random.h"

namespace ardea::measure {
namespace {

TEST(Statistics, the_median_is_the_middle_or_the_mean_of_the_two_in_the_middle) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({7}), 7);
  EXPECT_THROW(median({}), Error);
}

/// Ranks from the binomial distribution: of 6 values all are needed, of 15 three may be left out at each end,
/// of 31 nine.
TEST(Statistics, the_interval_has_the_ranks_of_the_binomial_table) {
  const auto counted = [](int n) {
    std::vector<double> values;
    for (int i = n; i >= 1; --i) values.push_back(i);
    return median_interval(values);
  };
  EXPECT_EQ(counted(6).low, 1);
  EXPECT_EQ(counted(6).high, 6);
  EXPECT_EQ(counted(15).low, 4);
  EXPECT_EQ(counted(15).high, 12);
  EXPECT_EQ(counted(31).low, 10);
  EXPECT_EQ(counted(31).high, 22);
  EXPECT_EQ(counted(301).median, 151);
  EXPECT_EQ(counted(301).low, 134);
}

TEST(Statistics, six_values_are_the_fewest) {
  EXPECT_EQ(least_values(), 6);
  EXPECT_THROW(median_interval({1, 2, 3, 4, 5}), Error);
  EXPECT_NO_THROW(median_interval({1, 2, 3, 4, 5, 6}));
}

/// Noise as machines have it: a floor, and now and then much more.
TEST(Statistics, the_interval_covers_the_true_median_in_95_of_100_cases) {
  Random random(7);
  const double true_median = 1 + 0.5 * 0.5 * 0.5;
  int covered = 0;
  constexpr int cases = 2000;
  for (int i = 0; i < cases; ++i) {
    std::vector<double> values;
    for (int k = 0; k < 31; ++k) {
      const double draw = random.real();
      values.push_back(1 + draw * draw * draw + (draw > 0.9 ? 10 : 0));
    }
    const Interval interval = median_interval(values);
    if (interval.low <= true_median && true_median <= interval.high) ++covered;
  }
  EXPECT_GE(covered, cases * 95 / 100);
  EXPECT_LE(covered, cases * 985 / 1000) << "the interval is wider than it need be";
}

TEST(Statistics, ratios_of_rounds_forget_a_drift_of_the_machine) {
  std::vector<double> ours, theirs;
  for (int round = 0; round < 20; ++round) {
    ours.push_back(1 + 0.1 * round);
    theirs.push_back(1.25 * (1 + 0.1 * round));
  }
  const Interval interval = median_interval(ratios(theirs, ours));
  EXPECT_NEAR(interval.low, 1.25, 1e-12);
  EXPECT_NEAR(interval.high, 1.25, 1e-12);
  EXPECT_THROW(ratios({1, 2}, {1}), Error);
}

TEST(Statistics, the_geometric_mean_of_a_ratio_and_its_inverse_is_one) {
  EXPECT_NEAR(geometric_mean({4, 0.25}), 1, 1e-15);
  EXPECT_NEAR(geometric_mean({2, 4, 8}), 4, 1e-14);
}

}  // namespace
}  // namespace ardea::measure
