#include "ardea/interp/race.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ardea/support/random.h"

namespace ardea::interp {
namespace {

struct Event {
  Access access;
  bool writes;
};

/// Accesses of one byte as a launch could make them: block after block, barriers of the block and of its
/// warps in between.
std::vector<Event> random_history(Random& random) {
  std::vector<Event> events;
  for (std::int32_t block = 0; block < random.integer(1, 2); ++block) {
    std::uint32_t block_barriers = 0, warp_barriers[2] = {0, 0};
    for (int i = 0; i < 8; ++i) {
      if (random.chance(0.2)) ++block_barriers;
      if (random.chance(0.3)) ++warp_barriers[random.integer(0, 1)];
      const auto thread = static_cast<std::int32_t>(random.pick(std::vector<int>{0, 1, 32, 33}));
      events.push_back({{thread, block, block_barriers, warp_barriers[thread / threads_in_warp], nullptr},
                        random.chance(0.3)});
    }
  }
  return events;
}

/// The first event that conflicts with any earlier one, by comparing all pairs.
std::size_t first_conflict(const std::vector<Event>& events) {
  for (std::size_t later = 0; later < events.size(); ++later)
    for (std::size_t earlier = 0; earlier < later; ++earlier)
      if ((events[earlier].writes || events[later].writes) &&
          concurrent(events[earlier].access, events[later].access))
        return later;
  return events.size();
}

TEST(Races, the_short_history_of_a_byte_finds_what_the_whole_one_does) {
  for (std::uint64_t seed = 0; seed < 20000; ++seed) {
    Random random(seed);
    const std::vector<Event> events = random_history(random);
    const std::size_t expected = first_conflict(events);
    ByteHistory history;
    std::size_t found = 0;
    while (found < events.size()) {
      const Event& event = events[found];
      const std::optional<Access> other =
          event.writes ? history.write(event.access) : history.read(event.access);
      if (other) {
        EXPECT_TRUE(concurrent(*other, event.access)) << "seed " << seed;
        break;
      }
      ++found;
    }
    ASSERT_EQ(found, expected) << "seed " << seed;
  }
}

TEST(Races, barriers_order_the_threads_they_join) {
  const Access first{0, 0, 0, 0, nullptr};
  EXPECT_TRUE(concurrent(first, {1, 0, 0, 0, nullptr}));
  EXPECT_FALSE(concurrent(first, {0, 0, 0, 0, nullptr}));  // the same thread
  EXPECT_FALSE(concurrent(first, {1, 0, 1, 0, nullptr}));  // a block barrier between
  EXPECT_FALSE(concurrent(first, {1, 0, 0, 1, nullptr}));  // a warp barrier between, same warp
  EXPECT_TRUE(concurrent(first, {32, 0, 0, 1, nullptr}));  // another warp's barrier
  EXPECT_TRUE(concurrent(first, {0, 1, 1, 0, nullptr}));   // another block
}

}  // namespace
}  // namespace ardea::interp
