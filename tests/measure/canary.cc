#include "ardea/measure/canary.h"

#include <gtest/gtest.h>

namespace ardea::measure {
namespace {

using Verdict = Canary::Verdict;

constexpr CanaryReading usual{1e-4, 1e-3};

CanaryReading slower(double arithmetic, double memory) {
  return {usual.arithmetic_s * arithmetic, usual.memory_s * memory};
}

TEST(Canary, lets_rounds_stand_on_a_steady_machine) {
  Canary canary;
  for (const double noise : {1.0, 1.05, 0.95, 1.09, 0.92, 1.0})
    EXPECT_EQ(canary.read(slower(noise, noise)), Verdict::steady) << noise;
  EXPECT_EQ(canary.level(), usual);
}

TEST(Canary, discards_at_most_two_rounds_then_the_slow_level_is_the_new_one) {
  for (const CanaryReading slow : {slower(1.5, 1), slower(1, 2)}) {
    Canary canary;
    canary.read(usual);
    EXPECT_EQ(canary.read(slow), Verdict::discard);
    EXPECT_EQ(canary.read(slow), Verdict::discard);
    EXPECT_EQ(canary.read(slow), Verdict::moved);
    EXPECT_EQ(canary.level(), slow);
    EXPECT_EQ(canary.read(slow), Verdict::steady);
  }
}

TEST(Canary, counts_only_slow_rounds_in_a_row) {
  Canary canary;
  canary.read(usual);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(canary.read(slower(1.5, 1)), Verdict::discard);
    EXPECT_EQ(canary.read(slower(1.5, 1)), Verdict::discard);
    EXPECT_EQ(canary.read(usual), Verdict::steady);
  }
  EXPECT_EQ(canary.level(), usual);
}

TEST(Canary, moves_back_when_the_machine_is_quick_again) {
  Canary canary;
  canary.read(slower(2, 2));
  EXPECT_EQ(canary.read(usual), Verdict::steady);  // once may be chance
  EXPECT_EQ(canary.read(usual), Verdict::moved);
  EXPECT_EQ(canary.level(), usual);
}

TEST(Canary, reads_a_machine) {
  const CanaryReading reading = read_canary();
  EXPECT_GT(reading.arithmetic_s, 0);
  EXPECT_GT(reading.memory_s, 0);
}

}  // namespace
}  // namespace ardea::measure
