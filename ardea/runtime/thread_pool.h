#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

namespace ardea::runtime {

/// How many threads a pool should have: `setting` (the text of ARDEA_NUM_THREADS) where it is there, else the
/// processors that this process may run on. A setting that is no whole number from 1 to 4096 is an Error.
int choose_thread_count(const char* setting);

/// Threads that share the iterations of parallel loops. The workers start with the first loop that needs
/// them. Any number of threads may call parallel_for at once: each works on its own loop, so that no loop
/// waits for a free worker.
class ThreadPool {
 public:
  using Body = std::function<void(std::int64_t begin, std::int64_t end)>;

  /// `threads` counts the thread that calls parallel_for.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// The pool of this process, of choose_thread_count(ARDEA_NUM_THREADS) threads. A forked child gets one of
  /// its own.
  static ThreadPool& shared();

  int thread_count() const { return thread_count_; }

  /// Calls body on disjoint ranges that cover [0, extent), at most one a thread, and waits for all. The
  /// ranges depend only on the extent and the thread count. The first exception is thrown again here; ranges
  /// not begun by then are left out. Inside a body it calls body(0, extent) on the spot.
  void parallel_for(std::int64_t extent, const Body& body);

 private:
  /// One loop in progress, on the stack of its caller. Guarded by mutex_.
  struct Loop {
    const Body& body;
    std::int64_t extent;
    std::int64_t chunks;
    std::int64_t begun = 0;
    std::int64_t finished = 0;
    std::exception_ptr error;
    std::condition_variable all_finished;
  };

  void start_workers();
  void work();
  void run_next_chunk(Loop& loop, std::unique_lock<std::mutex>& lock);

  const int thread_count_;
  std::mutex mutex_;
  std::condition_variable work_arrived_;
  std::list<Loop*> loops_;  // with chunks that nobody has begun
  bool stopping_ = false;
  bool started_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace ardea::runtime
