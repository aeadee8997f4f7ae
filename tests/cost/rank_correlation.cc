#include "ardea/cost/rank_correlation.h"

#include <gtest/gtest.h>

namespace ardea::cost {
namespace {

TEST(RankCorrelation, is_one_of_the_same_order_and_minus_one_of_the_reverse) {
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 10}, {0, 5, 6}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 10}, {6, 5, 0}), -1);
}

TEST(RankCorrelation, is_spearmans) {
  // Differences of ranks 1, 1, 1, 1, 0: 1 − 6·4 / (5·24).
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4, 5}, {2, 1, 4, 3, 5}), 0.8);
}

TEST(RankCorrelation, gives_equal_values_the_mean_of_their_ranks) {
  // Ranks 0.5, 0.5, 2 against 0, 1, 2: 1.5 / √(1.5 · 2).
  EXPECT_NEAR(rank_correlation({7, 7, 9}, {1, 2, 3}), 0.866025403784, 1e-12);
}

TEST(RankCorrelation, is_nothing_where_nothing_can_be_told) {
  EXPECT_EQ(rank_correlation({}, {}), 0);
  EXPECT_EQ(rank_correlation({1}, {1}), 0);
  EXPECT_EQ(rank_correlation({1, 1, 1}, {1, 2, 3}), 0);
}

}  // namespace
}  // namespace ardea::cost
