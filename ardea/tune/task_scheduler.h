#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ardea::tune {

/// A task among several that share a budget.
struct SharedTask {
  double weight = 1;        ///< how often its program is called
  double operations = 0;    ///< of a call; 0: not known
  std::string family = {};  ///< tasks of one family learn from each other's speed; empty: none
};

/// Who is tuned next, so that the weighted time of all becomes least: the one of which a batch more is
/// expected to save most. The expectation, after Ansor's scheduler: what its last batches saved a trial,
/// beside what is left if its time fell as 1/trials, or if it came to be as fast as the best of its family.
/// Each has one batch before any has a second.
class TaskScheduler {
 public:
  struct Options {
    double backward = 0.2;   ///< the share of what was saved lately; the rest is hope
    double similarity = 2;   ///< how much faster than the family's best may be hoped for
    std::size_t window = 3;  ///< batches that count as lately
  };
  explicit TaskScheduler(std::vector<SharedTask> tasks) : TaskScheduler(std::move(tasks), Options()) {}
  TaskScheduler(std::vector<SharedTask> tasks, Options options);

  /// Nothing where all are done.
  std::optional<std::size_t> next() const;
  /// After a batch: how many trials the task has had, and its best time; nothing where none was timed.
  void tell(std::size_t task, std::int64_t trials, std::optional<double> best_s);
  /// It has nothing more to try.
  void close(std::size_t task);

  /// What a trial more of it is expected to save of the weighted time, in seconds; infinite before its first.
  double gain(std::size_t task) const;

 private:
  struct Batch {
    std::int64_t trials = 0;
    std::optional<double> best_s = {};
  };
  struct State {
    SharedTask task;
    std::vector<Batch> batches = {};
    bool is_closed = false;
  };
  std::optional<double> best_of_family(std::size_t task) const;

  Options options_;
  std::vector<State> tasks_;
};

}  // namespace ardea::tune
