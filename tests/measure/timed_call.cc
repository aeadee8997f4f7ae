#include "ardea/measure/timed_call.h"

#include <gtest/gtest.h>

namespace ardea::measure {
namespace {

/// A machine on which a call takes what it is told to take.
struct FakeMachine {
  double now_s = 0, call_s = 1e-3;
  std::int64_t switches = 0;
  std::vector<std::int64_t> turns;  ///< calls in each
  int restored = 0;
  std::function<void(FakeMachine&)> before_turn = [](FakeMachine&) {};

  Turn turn() {
    return [this](std::int64_t calls) {
      before_turn(*this);
      turns.push_back(calls);
      now_s += call_s * static_cast<double>(calls);
    };
  }
  TimedCallOptions options() {
    return {.restore = [this] { ++restored; },
            .clock = [this] { return now_s; },
            .interruptions = [this] { return switches; }};
  }
};

TEST(TimedCall, takes_as_few_samples_as_a_quiet_machine_needs) {
  FakeMachine machine;
  const TimedCall timed = time_call(machine.turn(), machine.options());
  EXPECT_EQ(timed.samples, 6);
  EXPECT_EQ(timed.calls, 1);
  EXPECT_NEAR(timed.time.median_s, 1e-3, 1e-9);
  EXPECT_FALSE(timed.raced);
  EXPECT_EQ(machine.restored, 6);
}

TEST(TimedCall, makes_samples_of_many_short_calls) {
  FakeMachine machine;
  machine.call_s = 0x1p-20;  // 200 µs are 209.7 of them
  const TimedCall timed = time_call(machine.turn(), machine.options());
  EXPECT_EQ(timed.calls, 210);
  EXPECT_NEAR(timed.time.median_s, 0x1p-20, 1e-12);
  EXPECT_EQ(machine.turns.front(), 1);
  EXPECT_EQ(machine.turns.back(), 210);
}

TEST(TimedCall, stops_early_for_what_is_clearly_slower) {
  FakeMachine machine;
  TimedCallOptions options = machine.options();
  options.incumbent = CallTime{1e-4, 1e-4, 1e-4};
  const TimedCall timed = time_call(machine.turn(), options);
  EXPECT_TRUE(timed.raced);
  EXPECT_EQ(timed.samples, 1);
}

TEST(TimedCall, leaves_samples_out_during_which_others_had_the_processor) {
  FakeMachine machine;
  int turn = 0;
  machine.before_turn = [&](FakeMachine& m) {
    const bool disturbed = turn++ % 2 == 0;
    m.call_s = disturbed ? 5e-3 : 1e-3;
    if (disturbed) ++m.switches;
  };
  const TimedCall timed = time_call(machine.turn(), machine.options());
  EXPECT_EQ(timed.samples, 6);
  EXPECT_EQ(timed.disturbed, 6);
  EXPECT_NEAR(timed.time.high_s, 1e-3, 1e-9);
}

TEST(TimedCall, takes_disturbed_samples_where_there_are_no_others) {
  FakeMachine machine;
  machine.before_turn = [](FakeMachine& m) {
    ++m.switches;
    m.call_s = m.switches % 2 == 0 ? 2e-3 : 3e-3;
  };
  const TimedCall timed = time_call(machine.turn(), machine.options());
  EXPECT_GE(timed.time.median_s, 2e-3);
  EXPECT_GE(timed.samples, 6);
  EXPECT_LT(machine.now_s, 2 * machine.options().race.most_s);
}

}  // namespace
}  // namespace ardea::measure
