#include <gtest/gtest.h>

#include "tests/schedule/check_schedule.h"

/// Random programs under random schedules: what is accepted keeps the answers, what is refused says why.

namespace ardea::schedule {
namespace {

// Under a sanitizer a program takes some twenty times as long; fewer still reach all of the code.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t programs = 8;
#else
constexpr std::uint64_t programs = 60;
#endif

TEST(RandomSchedules, keep_the_answers_of_random_programs) {
  StepCounts counts;
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const std::string failure = schedule_failure(seed, counts);
    ASSERT_EQ(failure, "");
  }
  for (const char* name : {"split", "reorder", "merge", "compute_at", "reverse_compute_at", "compute_root",
                           "compute_inline", "reverse_compute_inline", "decompose_reduction", "rfactor"})
    EXPECT_GT(counts[name].applied, 0) << count_table(counts);
}

}  // namespace
}  // namespace ardea::schedule
