#include <gtest/gtest.h>

#include "tests/schedule/check_schedule.h"

/// Random programs under random schedules: what is accepted keeps the answers, what is refused says why.

namespace ardea::schedule {
namespace {

TEST(RandomSchedules, keep_the_answers_of_random_programs) {
  StepCounts counts;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const std::string failure = schedule_failure(seed, counts);
    ASSERT_EQ(failure, "");
  }
  for (const auto& [name, count] : counts) EXPECT_GT(count.applied, 0) << count_table(counts);
}

}  // namespace
}  // namespace ardea::schedule
