#include "ardea/measure/race.h"

#include <gtest/gtest.h>

namespace ardea::measure {
namespace {

using Next = Race::Next;

TEST(Race, ends_when_the_interval_is_narrow) {
  Race race({.precision = 0.01});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(race.add(1e-3, 1e-3), Next::again) << i;  // 6 values make an interval
  EXPECT_EQ(race.add(1e-3, 1e-3), Next::precise);
  EXPECT_EQ(race.time(), (CallTime{1e-3, 1e-3, 1e-3}));
}

TEST(Race, goes_on_while_the_interval_is_wide) {
  Race race({.precision = 0.01, .most_s = 1});
  for (int i = 0; i < 20; ++i) EXPECT_EQ(race.add(i % 2 == 0 ? 1e-3 : 1.1e-3, 1e-3), Next::again) << i;
}

TEST(Race, ends_when_the_time_is_up) {
  Race race({.precision = 0.01, .most_s = 0.01});
  Next next = Next::again;
  int samples = 0;
  for (; next == Next::again; ++samples) next = race.add(samples % 2 == 0 ? 1e-3 : 1.1e-3, 1e-3);
  EXPECT_EQ(next, Next::time_is_up);
  EXPECT_EQ(samples, 10);
}

TEST(Race, asks_for_three_samples_unless_one_takes_very_long) {
  Race some({.most_s = 0.3});
  EXPECT_EQ(some.add(0.5, 0.5), Next::again);
  EXPECT_EQ(some.add(0.5, 0.5), Next::again);
  EXPECT_EQ(some.add(0.5, 0.5), Next::time_is_up);
  Race one({.most_s = 0.3});
  EXPECT_EQ(one.add(1.3, 1.3), Next::time_is_up);
  EXPECT_EQ(one.time(), (CallTime{1.3, 1.3, 1.3}));
}

TEST(Race, ends_at_once_for_what_is_many_times_slower_than_the_incumbent) {
  const CallTime incumbent{1e-3, 0.9e-3, 1.1e-3};
  EXPECT_EQ(Race({}, incumbent).add(2.3e-3, 1e-3), Next::slower);
  EXPECT_EQ(Race({}, incumbent).add(2.1e-3, 1e-3), Next::again);  // twice the upper end is more
}

TEST(Race, needs_the_more_samples_the_nearer_a_candidate_is) {
  const CallTime incumbent{1e-3, 1e-3, 1e-3};
  const auto samples_until_slower = [&](double call_s) {
    Race race({}, incumbent);
    for (int samples = 1;; ++samples) {
      const Next next = race.add(call_s, 1e-3);
      if (next != Next::again) return next == Next::slower ? samples : 0;
    }
  };
  EXPECT_EQ(samples_until_slower(2.1e-3), 1);
  EXPECT_EQ(samples_until_slower(1.4e-3), 2);
  EXPECT_EQ(samples_until_slower(1.25e-3), 3);
  EXPECT_EQ(samples_until_slower(1.06e-3), 6);
  EXPECT_EQ(samples_until_slower(1.04e-3), 0);
  EXPECT_EQ(samples_until_slower(0.5e-3), 0);
}

TEST(Race, is_not_lost_by_a_disturbed_sample_among_quick_ones) {
  Race race({.precision = 0.001}, CallTime{1e-3, 1e-3, 1e-3});
  EXPECT_EQ(race.add(1e-3, 1e-3), Next::again);
  EXPECT_EQ(race.add(50e-3, 50e-3), Next::again);
  EXPECT_EQ(race.add(1.01e-3, 1e-3), Next::again);
  EXPECT_DOUBLE_EQ(race.time().median_s, 1.01e-3);
}

}  // namespace
}  // namespace ardea::measure
