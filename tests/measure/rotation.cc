#include "ardea/measure/rotation.h"

#include <gtest/gtest.h>

#include "ardea/support/error.h"

namespace ardea::measure {
namespace {

/// A machine in which a call takes as long as it says.
struct Simulation {
  double now = 0;
  std::string calls;

  Turn contender(char name, double seconds) {
    return [=, this](std::int64_t count) {
      now += seconds * static_cast<double>(count);
      calls.append(static_cast<std::size_t>(count), name);
    };
  }
  RotationOptions options(std::int64_t rounds) {
    return {.rounds = rounds, .clock = [this] { return now; }};
  }
};

TEST(Rotation, each_round_begins_with_the_next_contender) {
  Simulation machine;
  const Rotation r = rotate({machine.contender('a', 1), machine.contender('b', 2), machine.contender('c', 3)},
                            machine.options(4));
  // Two calls each to find out how long they take; long calls need none before the timed one.
  EXPECT_EQ(machine.calls,
            "aabbcc"
            "abc"
            "bca"
            "cab"
            "abc");
  EXPECT_EQ(r.rounds, 4);
  EXPECT_EQ(r.calls, 1);
  ASSERT_EQ(r.seconds.size(), 3U);
  EXPECT_EQ(r.seconds[1], (std::vector<double>{2, 2, 2, 2}));
}

TEST(Rotation, tells_of_each_round_before_it_begins) {
  Simulation machine;
  RotationOptions options = machine.options(3);
  options.begin_round = [&](std::int64_t round) { machine.calls += std::to_string(round); };
  rotate({machine.contender('a', 1), machine.contender('b', 2)}, options);
  EXPECT_EQ(machine.calls, "aabb0ab1ba2ab");
}

TEST(Rotation, short_calls_come_several_times_a_turn_and_as_often_for_all) {
  Simulation machine;
  const Rotation r =
      rotate({machine.contender('a', 50e-6), machine.contender('b', 400e-6)}, machine.options(1));
  EXPECT_EQ(r.calls, 4);
  // A call that is not timed begins each turn.
  EXPECT_EQ(machine.calls,
            "aabb"
            "aaaaa"
            "bbbbb");
  EXPECT_NEAR(r.seconds[0][0], 50e-6, 1e-12);
  EXPECT_NEAR(r.seconds[1][0], 400e-6, 1e-12);
}

TEST(Rotation, takes_as_many_rounds_as_the_budget_allows) {
  Simulation machine;
  EXPECT_EQ(rotate({machine.contender('a', 0.05)}, machine.options(0)).rounds, 99);
  EXPECT_EQ(rotate({machine.contender('a', 1)}, machine.options(0)).rounds, 15);
  EXPECT_EQ(rotate({machine.contender('a', 30)}, machine.options(0)).rounds, 6);
  EXPECT_EQ(rotate({machine.contender('a', 1e-6)}, machine.options(0)).rounds, 301);
}

TEST(Rotation, a_pause_is_not_counted) {
  Simulation machine;
  RotationOptions options = machine.options(3);
  options.pause_s = 7;
  options.clock = [&] { return machine.now += 0.5; };
  const Rotation r = rotate({machine.contender('a', 10)}, options);
  for (const double s : r.seconds[0]) EXPECT_LT(s, 11);
}

TEST(Rotation, refuses_to_time_nobody) {
  EXPECT_THROW(rotate({}, {}), Error);
  EXPECT_THROW(rotate({[](std::int64_t) {}}, {.rounds = -1}), Error);
}

}  // namespace
}  // namespace ardea::measure
