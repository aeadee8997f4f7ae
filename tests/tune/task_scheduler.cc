#include "ardea/tune/task_scheduler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "ardea/support/error.h"

namespace ardea::tune {

namespace {

/// A task whose best time after t trials is known.
struct Synthetic {
  SharedTask task;
  double floor_s, excess_s, half_life;
  double best(std::int64_t trials) const {
    return floor_s + excess_s * std::exp2(-static_cast<double>(trials) / half_life);
  }
};

double weighted_time(const std::vector<Synthetic>& tasks, const std::vector<std::int64_t>& trials) {
  double sum = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) sum += tasks[i].task.weight * tasks[i].best(trials[i]);
  return sum;
}

std::vector<std::int64_t> shared(const std::vector<Synthetic>& tasks, int batches, std::int64_t batch) {
  std::vector<SharedTask> given;
  for (const Synthetic& task : tasks) given.push_back(task.task);
  TaskScheduler scheduler(given);
  std::vector<std::int64_t> trials(tasks.size());
  for (int i = 0; i < batches; ++i) {
    const std::size_t next = scheduler.next().value();
    trials[next] += batch;
    scheduler.tell(next, trials[next], tasks[next].best(trials[next]));
  }
  return trials;
}

TEST(TaskScheduler, gives_each_a_batch_before_any_has_a_second) {
  const std::vector<Synthetic> tasks = {
      {{.weight = 100}, 1, 10, 8}, {{}, 1e-3, 1e-3, 8}, {{}, 1e-3, 1e-3, 8}};
  EXPECT_EQ(shared(tasks, 3, 8), (std::vector<std::int64_t>{8, 8, 8}));
}

TEST(TaskScheduler, spends_where_it_saves_most) {
  const std::vector<Synthetic> tasks = {
      {{.weight = 1}, 1e-3, 0.1e-3, 4},    // soon done
      {{.weight = 1}, 10e-3, 40e-3, 100},  // long, and long to be had
      {{.weight = 1}, 0.1e-3, 0.1e-3, 50},
  };
  const std::vector<std::int64_t> trials = shared(tasks, 60, 8);
  EXPECT_EQ(std::accumulate(trials.begin(), trials.end(), std::int64_t{0}), 480);
  EXPECT_GT(trials[1], 300);
  EXPECT_LT(weighted_time(tasks, trials), 0.9 * weighted_time(tasks, {160, 160, 160}));
}

TEST(TaskScheduler, heeds_how_often_a_program_is_called) {
  const Synthetic one{{.weight = 1}, 1e-3, 1e-3, 40};
  Synthetic often = one;
  often.task.weight = 20;
  const std::vector<std::int64_t> trials = shared({one, often}, 40, 8);
  EXPECT_GT(trials[1], 4 * trials[0]);
}

TEST(TaskScheduler, starves_nobody_that_still_hopes) {
  const Synthetic one{{.weight = 1}, 1e-3, 1e-3, 40};
  const std::vector<std::int64_t> trials = shared({one, one, one}, 60, 8);
  for (const std::int64_t n : trials) EXPECT_GE(n, 100);
}

/// Both are equally slow, but of one a sibling shows how fast it could be at most.
TEST(TaskScheduler, hopes_for_little_where_the_family_is_no_faster) {
  TaskScheduler scheduler({{.operations = 1e9, .family = "gemm"}, {.operations = 1e9, .family = "gemm"}, {}});
  scheduler.tell(0, 8, 0.1);
  scheduler.tell(1, 8, 0.1);
  scheduler.tell(2, 8, 0.1);
  EXPECT_EQ(scheduler.gain(0), scheduler.gain(2)) << "1/trials is the smaller hope";
  TaskScheduler known({{.operations = 1e9, .family = "gemm"}, {.operations = 1e6, .family = "gemm"}},
                      {.similarity = 1});
  known.tell(0, 8, 0.1);
  known.tell(1, 8, 0.1);
  EXPECT_EQ(known.gain(0), 0) << "nobody of its family is faster";
  EXPECT_GT(known.gain(1), 0);
}

TEST(TaskScheduler, passes_over_those_that_are_done_and_leaves_failures_for_later) {
  TaskScheduler scheduler(std::vector<SharedTask>(2));
  scheduler.tell(0, 8, std::nullopt);
  scheduler.tell(1, 8, 1e-3);
  EXPECT_EQ(scheduler.next(), 1U);
  scheduler.close(1);
  EXPECT_EQ(scheduler.next(), 0U);
  scheduler.close(0);
  EXPECT_EQ(scheduler.next(), std::nullopt);
}

TEST(TaskScheduler, refuses_weights_that_mean_nothing) {
  EXPECT_THROW(TaskScheduler(std::vector<SharedTask>{{.weight = 0}}), Error);
  EXPECT_THROW(TaskScheduler(std::vector<SharedTask>{{.weight = -1}}), Error);
}

}  // namespace

}  // namespace ardea::tune
