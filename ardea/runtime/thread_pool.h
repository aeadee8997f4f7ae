#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "ardea/runtime/loop_threads.h"

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
  struct Loop;

  static void run_chunk(void* of, std::int64_t chunk);
  void start();
  void make_room_for_caller();

  const int thread_count_;
  ArdeaThreads* const threads_;
  std::once_flag started_;
  std::atomic<int> callers_{0}, most_used_{1};
  std::mutex mutex_;             // of places
  std::vector<int> processors_;  // of the workers, where they are pinned, then the one that is left
  std::atomic<int> left_{-1};    // the same; -1 where none is pinned
};

}  // namespace ardea::runtime
