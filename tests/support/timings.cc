#include "ardea/support/timings.h"

#include <gtest/gtest.h>

#include <thread>

namespace ardea {
namespace {

TEST(Timings, hear_the_sections_of_their_thread_while_they_live) {
  { const TimedSection unheard("a", "before"); }
  Timings outer;
  { const TimedSection first("a", "first"); }
  {
    const Timings inner;
    { const TimedSection second("b", "second"); }
    ASSERT_EQ(inner.sections().size(), 1U);
    EXPECT_EQ(inner.sections()[0].part, "b");
    EXPECT_EQ(inner.sections()[0].name, "second");
  }
  std::thread([] { const TimedSection elsewhere("a", "elsewhere"); }).join();
  try {
    const TimedSection third("a", "third");
    throw 1;
  } catch (int) {  // NOLINT(bugprone-empty-catch)
    // What an exception ends counts, too.
  }
  ASSERT_EQ(outer.sections().size(), 2U);
  EXPECT_EQ(outer.sections()[0].name, "first");
  EXPECT_EQ(outer.sections()[1].name, "third");
}

TEST(Timings, measure_time) {
  const Timings timings;
  {
    const TimedSection section("a", "sleep");
    const double start = processor_seconds();
    while (processor_seconds() < start + 0.003) {}
  }
  EXPECT_GE(timings.sections().at(0).seconds, 0.003);
}

}  // namespace
}  // namespace ardea
