#include "ardea/support/random.h"

#include <gtest/gtest.h>

#include <set>

namespace ardea {
namespace {

TEST(Random, gives_the_published_splitmix64_sequence) {
  Random random(1234567);  // the reference sequence of SplitMix64 for this seed
  EXPECT_EQ(random.next(), 6457827717110365317u);
  EXPECT_EQ(random.next(), 3203168211198807973u);
  EXPECT_EQ(random.next(), 9817491932198370423u);
}

TEST(Random, draws_integers_from_both_ends_of_the_range) {
  Random random(1);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.integer(-2, 2));
  EXPECT_EQ(seen, (std::set<std::int64_t>{-2, -1, 0, 1, 2}));
  EXPECT_EQ(random.integer(7, 7), 7);
}

TEST(Random, draws_from_the_whole_range_of_int64) {
  Random random(2);
  bool negative = false, positive = false;
  for (int i = 0; i < 64; ++i) {
    const std::int64_t drawn = random.integer(INT64_MIN, INT64_MAX);
    (drawn < 0 ? negative : positive) = true;
  }
  EXPECT_TRUE(negative && positive);
}

TEST(Random, draws_reals_from_zero_up_to_one) {
  Random random(3);
  double low = 1, high = 0, sum = 0;
  for (int i = 0; i < 10000; ++i) {
    const double drawn = random.real();
    low = std::min(low, drawn);
    high = std::max(high, drawn);
    sum += drawn;
  }
  EXPECT_GE(low, 0);
  EXPECT_LT(high, 1);
  EXPECT_NEAR(sum / 10000, 0.5, 0.02);
}

TEST(Random, splits_into_generators_that_do_not_repeat_each_other) {
  Random parent(4);
  Random first = parent.split(), second = parent.split();
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 100; ++i) seen.insert({first.next(), second.next(), parent.next()});
  EXPECT_EQ(seen.size(), 300u);
}

TEST(Random, picks_every_element_and_nothing_else) {
  Random random(5);
  const std::vector<std::string> from{"a", "b", "c"};
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) seen.insert(random.pick(from));
  EXPECT_EQ(seen.size(), 3u);
  EXPECT_TRUE(random.chance(1));
  EXPECT_FALSE(random.chance(0));
}

}  // namespace
}  // namespace ardea
