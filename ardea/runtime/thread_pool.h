#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
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
///
/// A pool with a thread for every processor that this process may use pins its workers, each to a processor
/// of its own, and none to that of a caller which has the pool to itself: the system would otherwise put a
/// worker that wakes beside the thread that woke it. Workers and callers look for work, or for its end, in a
/// loop for a moment before they sleep, where no more threads are asked for than there are processors. Loops
/// allocate nothing.
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

  /// The most threads among which one loop was divided since this was last asked; 1 where none was.
  int take_most_used() { return most_used_.exchange(1, std::memory_order_relaxed); }

  /// Calls body on disjoint ranges that cover [0, extent), at most one a thread, and waits for all. The
  /// ranges depend only on the extent and the thread count. The first exception is thrown again here; ranges
  /// not begun by then are left out. Inside a body it calls body(0, extent) on the spot.
  void parallel_for(std::int64_t extent, const Body& body);

 private:
  /// One loop in progress, on the stack of its caller. Guarded by mutex_; `finished` is also looked at
  /// without.
  struct Loop {
    const Body& body;
    std::int64_t extent;
    std::int64_t chunks;
    std::int64_t begun = 0;
    std::atomic<std::int64_t> finished{0};
    std::exception_ptr error = nullptr;
    std::condition_variable all_finished = {};
    Loop *previous = nullptr, *next = nullptr;  ///< among those with chunks that nobody has begun
  };

  void start_workers();
  void work();
  void run_next_chunk(Loop& loop, std::unique_lock<std::mutex>& lock);
  void enlist(Loop& loop);
  void strike(Loop& loop);
  void make_room_for_caller();

  const int thread_count_;
  std::mutex mutex_;
  std::condition_variable work_arrived_;
  Loop *first_ = nullptr, *last_ = nullptr;    // with chunks that nobody has begun
  std::atomic<std::uint64_t> loops_begun_{0};  // what a worker that is not yet asleep looks at
  std::int64_t callers_ = 0;
  std::atomic<int> most_used_{1};  // written under mutex_
  bool stopping_ = false;
  bool started_ = false;
  bool spins_ = false;
  std::vector<std::thread> workers_;
  std::vector<int> processors_;  // of the workers, where they are pinned, then the one that is left
};

}  // namespace ardea::runtime
