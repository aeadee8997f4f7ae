#include "ardea/runtime/time_evaluator.h"

#include <gtest/gtest.h>

#include "expect_error.h"

namespace ardea::runtime {
namespace {

/// A clock that each call moves on by `seconds_a_call`.
struct FakeTime {
  double now = 0;
  double seconds_a_call = 0.001;
  std::int64_t calls = 0;
  std::vector<std::int64_t> calls_at_reading;

  Function function() {
    return [this] {
      now += seconds_a_call;
      ++calls;
    };
  }
  std::function<double()> clock() {
    return [this] {
      calls_at_reading.push_back(calls);
      return now;
    };
  }
};

TEST(TimeEvaluator, calls_number_times_a_repeat_after_the_warm_up) {
  FakeTime time;
  const Timing timing =
      TimeEvaluator{.number = 7, .repeat = 3, .warmup = 2, .clock = time.clock()}(time.function(), {});
  EXPECT_EQ(time.calls, 2 + 3 * 7);
  EXPECT_EQ(time.calls_at_reading, (std::vector<std::int64_t>{2, 9, 9, 16, 16, 23}));
  EXPECT_EQ(timing.samples.size(), 3u);
  EXPECT_EQ(timing.number, 7);
  for (const double sample : timing.samples) EXPECT_NEAR(sample, 0.001, 1e-12);
}

TEST(TimeEvaluator, raises_the_number_until_a_repeat_takes_long_enough) {
  FakeTime time;
  const Timing timing =
      TimeEvaluator{.number = 1, .repeat = 2, .min_repeat_ms = 250, .warmup = 0, .clock = time.clock()}(
          time.function(), {});
  EXPECT_GE(static_cast<double>(timing.number) * 0.001, 0.25);
  EXPECT_LE(timing.number, 300) << "not many more than needed";
  EXPECT_EQ(timing.samples.size(), 2u);
  EXPECT_NEAR(timing.median_s, 0.001, 1e-12);
  const auto& readings = time.calls_at_reading;
  EXPECT_EQ(readings[readings.size() - 1] - readings[readings.size() - 2], timing.number)
      << "kept for the later repeats";
}

TEST(TimeEvaluator, raises_the_number_where_the_clock_sees_no_time_pass) {
  FakeTime time;
  time.seconds_a_call = 0;
  const auto stepping = [&] { return time.calls < 1000 ? 0.0 : time.now += 1; };
  const Timing timing =
      TimeEvaluator{.repeat = 1, .min_repeat_ms = 1, .warmup = 0, .clock = stepping}(time.function(), {});
  EXPECT_GE(timing.number, 100);
}

TEST(TimeEvaluator, passes_the_arguments_and_the_errors) {
  std::int64_t sum = 0;
  const Function add = [&](std::int64_t x) { sum += x; };
  const std::vector<Value> five{5};
  TimeEvaluator{.number = 2, .repeat = 2, .warmup = 0}(add, five);
  EXPECT_EQ(sum, 20);
  expect_error([&] { TimeEvaluator{}(add, {}); }, "function: takes 1 argument, 0 were given");
}

TEST(TimeEvaluator, takes_the_middle_of_the_samples) {
  const Timing odd = summarize({5, 1, 3}, 2);
  EXPECT_EQ(odd.median_s, 3);
  EXPECT_EQ(odd.mean_s, 3);
  EXPECT_EQ(odd.min_s, 1);
  EXPECT_EQ(odd.max_s, 5);
  EXPECT_EQ(odd.samples, (std::vector<double>{5, 1, 3})) << "in the order measured";
  EXPECT_EQ(odd.number, 2);
  EXPECT_EQ(summarize({4, 1, 2, 100}, 1).median_s, 3);
}

TEST(TimeEvaluator, uses_a_clock_that_moves) {
  const double begin = steady_seconds();
  while (steady_seconds() == begin) continue;
  EXPECT_GT(steady_seconds(), begin);
}

TEST(TimeEvaluator, refuses_numbers_that_measure_nothing) {
  const Function nothing = [] {};
  expect_error([&] { TimeEvaluator{.number = 0}(nothing, {}); },
               "TimeEvaluator: number is 0, it must be 1 or more");
  expect_error([&] { TimeEvaluator{.repeat = 0}(nothing, {}); },
               "TimeEvaluator: repeat is 0, it must be 1 or more");
  expect_error([&] { TimeEvaluator{.warmup = -1}(nothing, {}); },
               "TimeEvaluator: warmup is -1, it must be 0 or more");
  expect_error([&] { TimeEvaluator{.min_repeat_ms = -2}(nothing, {}); },
               "TimeEvaluator: min_repeat_ms is -2, it must be 0 or more");
  expect_error([] { summarize({}, 1); }, "summarize: there are no samples");
}

}  // namespace
}  // namespace ardea::runtime
