#include "ardea/measure/placement.h"

#include <gtest/gtest.h>

#include "ardea/measure/memory_bound.h"
#include "ardea/target/host.h"

namespace ardea::measure {
namespace {

TEST(Placement, times_on_the_last_core_and_builds_on_the_others) {
  EXPECT_EQ(place({{0}, {1}}, 1), (Placement{{1}, {0}, false}));
  EXPECT_EQ(place({{0, 4}, {1, 5}, {2, 6}, {3, 7}}, 1), (Placement{{3}, {0, 4, 1, 5, 2, 6}, false}));
}

TEST(Placement, gives_each_thread_a_core_of_its_own) {
  EXPECT_EQ(place({{0, 4}, {1, 5}, {2, 6}, {3, 7}}, 2), (Placement{{2, 3}, {0, 4, 1, 5}, false}));
}

TEST(Placement, shares_cores_where_there_are_no_others) {
  EXPECT_EQ(place({{0}}, 1), (Placement{{0}, {0}, true}));
  EXPECT_EQ(place({{0}, {1}}, 2), (Placement{{0, 1}, {0, 1}, true}));
  EXPECT_EQ(place({{0, 2}, {1, 3}}, 4), (Placement{{0, 1, 2, 3}, {0, 2, 1, 3}, true}));
  EXPECT_EQ(place({{0}, {1}}, 5), (Placement{{0, 1}, {0, 1}, true}));
}

TEST(Placement, knows_the_cores_of_this_machine) {
  const auto cores = target::processors_by_core();
  EXPECT_EQ(static_cast<int>(cores.size()), target::host().cores);
  for (const std::vector<int>& core : cores) EXPECT_FALSE(core.empty());
}

TEST(MemoryBound, is_what_moves_more_than_it_computes_beyond_a_cores_own_caches) {
  target::Target target;
  target.caches = {{.level = 1, .bytes = 64 << 10},
                   {.level = 2, .bytes = 1 << 20},
                   {.level = 3, .bytes = 32 << 20, .shared_by_cores = 8}};
  constexpr double elements = 1e7;
  EXPECT_TRUE(is_memory_bound({.operations = elements, .bytes = 12 * elements}, target));  // a sum of two
  EXPECT_FALSE(is_memory_bound({.operations = 1000, .bytes = 12000}, target));             // within a cache
  EXPECT_FALSE(is_memory_bound({.operations = 2.0 * 1e9, .bytes = 12.0 * 1e6}, target));   // 1000³
  target.peak_per_second = {{"float32_operations_per_core", 1e11}, {"memory_bytes_per_core", 1e9}};
  EXPECT_TRUE(
      is_memory_bound({.operations = 50 * 1e7, .bytes = 1e7}, target));  // of a machine with slow memory
}

}  // namespace
}  // namespace ardea::measure
