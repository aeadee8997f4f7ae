#include "ardea/tune/task_scheduler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ardea/support/error.h"

namespace ardea::tune {

TaskScheduler::TaskScheduler(std::vector<SharedTask> tasks, Options options) : options_(options) {
  for (SharedTask& task : tasks) {
    require(std::isfinite(task.weight) && task.weight > 0, "the weight {} of a task must be above 0",
            task.weight);
    tasks_.push_back({std::move(task)});
  }
}

void TaskScheduler::tell(std::size_t task, std::int64_t trials, std::optional<double> best_s) {
  tasks_.at(task).batches.push_back({trials, best_s});
}

void TaskScheduler::close(std::size_t task) { tasks_.at(task).is_closed = true; }

/// Operations a second of the fastest of its family, itself included.
std::optional<double> TaskScheduler::best_of_family(std::size_t task) const {
  const std::string& family = tasks_[task].task.family;
  std::optional<double> best;
  for (const State& other : tasks_) {
    if (family.empty() || other.task.family != family || other.task.operations <= 0) continue;
    if (other.batches.empty() || !other.batches.back().best_s) continue;
    best = std::max(best.value_or(0), other.task.operations / *other.batches.back().best_s);
  }
  return best;
}

double TaskScheduler::gain(std::size_t task) const {
  const State& state = tasks_.at(task);
  if (state.batches.empty()) return std::numeric_limits<double>::infinity();
  const Batch& now = state.batches.back();
  // Where nothing ran yet, nothing can be said but that others should go first.
  if (!now.best_s || now.trials <= 0) return 0;
  const double best = *now.best_s;

  const std::size_t back = std::min(options_.window, state.batches.size() - 1);
  const Batch& then = state.batches[state.batches.size() - 1 - back];
  double saved = 0;
  if (back > 0 && then.best_s && now.trials > then.trials)
    saved = (*then.best_s - best) / static_cast<double>(now.trials - then.trials);

  // As if its time fell as 1/trials; but no faster than the family's best, times some, allows.
  double hoped = best / static_cast<double>(now.trials);
  if (const auto rate = best_of_family(task); rate && state.task.operations > 0)
    hoped = std::min(hoped, std::max(0.0, best - state.task.operations / (options_.similarity * *rate)));
  return state.task.weight * (options_.backward * saved + (1 - options_.backward) * hoped);
}

std::optional<std::size_t> TaskScheduler::next() const {
  std::optional<std::size_t> chosen;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (tasks_[i].is_closed) continue;
    if (!chosen || gain(i) > gain(*chosen)) chosen = i;
  }
  return chosen;
}

}  // namespace ardea::tune
