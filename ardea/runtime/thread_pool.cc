#include "ardea/runtime/thread_pool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::runtime {

namespace {

constexpr int most_threads = 4096;

/// Set on a thread while it runs a chunk: a loop inside a loop has no processors left to gain.
thread_local bool inside_loop = false;

struct InsideLoop {
  InsideLoop() { inside_loop = true; }
  ~InsideLoop() { inside_loop = false; }
};

int available_processors() {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  if (sched_getaffinity(0, sizeof(processors), &processors) == 0) return std::max(1, CPU_COUNT(&processors));
  // More processors than cpu_set_t has bits for.
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// Chunk i of [0, extent) cut into nearly equal parts; the first extent % chunks parts are one longer.
std::int64_t chunk_begin(std::int64_t extent, std::int64_t chunks, std::int64_t i) {
  return extent / chunks * i + std::min(i, extent % chunks);
}

std::atomic<ThreadPool*> process_pool{nullptr};
std::mutex process_pool_mutex;
/// The pool of the parent, seen from a forked child: its threads do not exist here, so it can be neither used
/// nor destroyed.
ThreadPool* pool_of_parent = nullptr;

struct JoinAtExit {
  ~JoinAtExit() { delete process_pool.exchange(nullptr); }
};

}  // namespace

int choose_thread_count(const char* setting) {
  if (setting == nullptr || *setting == '\0') return std::min(available_processors(), most_threads);
  const std::string_view text(setting);
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  require(error == std::errc() && end == text.data() + text.size() && count >= 1 && count <= most_threads,
          "ARDEA_NUM_THREADS is {}, it must be a whole number from 1 to {}", in_quotes(text), most_threads);
  return count;
}

ThreadPool::ThreadPool(int threads) : thread_count_(threads) {
  require(threads >= 1 && threads <= most_threads,
          "ThreadPool({}): the number of threads must be from 1 to {}", threads, most_threads);
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_arrived_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

ThreadPool& ThreadPool::shared() {
  if (ThreadPool* pool = process_pool.load(std::memory_order_acquire)) return *pool;
  const std::lock_guard lock(process_pool_mutex);
  if (ThreadPool* pool = process_pool.load(std::memory_order_acquire)) return *pool;
  auto* pool = new ThreadPool(choose_thread_count(std::getenv("ARDEA_NUM_THREADS")));
  static const JoinAtExit join_at_exit;
  static const int forks_noticed =
      pthread_atfork([] { process_pool_mutex.lock(); }, [] { process_pool_mutex.unlock(); },
                     [] {
                       if (ThreadPool* parents = process_pool.exchange(nullptr)) pool_of_parent = parents;
                       process_pool_mutex.unlock();
                     });
  ensure(forks_noticed == 0, "ThreadPool::shared: pthread_atfork answered {}", forks_noticed);
  process_pool.store(pool, std::memory_order_release);
  return *pool;
}

void ThreadPool::start_workers() {
  started_ = true;
  try {
    while (static_cast<int>(workers_.size()) < thread_count_ - 1) workers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch)
    // The system gives no more threads: those there are, and the callers themselves, do the work.
  }
}

void ThreadPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_arrived_.wait(lock, [&] { return stopping_ || !loops_.empty(); });
    if (loops_.empty()) return;
    run_next_chunk(*loops_.front(), lock);
  }
}

void ThreadPool::run_next_chunk(Loop& loop, std::unique_lock<std::mutex>& lock) {
  const std::int64_t chunk = loop.begun++;
  if (loop.begun == loop.chunks) loops_.remove(&loop);
  const bool given_up = loop.error != nullptr;
  lock.unlock();
  std::exception_ptr error;
  if (!given_up) {
    try {
      const InsideLoop inside;
      loop.body(chunk_begin(loop.extent, loop.chunks, chunk),
                chunk_begin(loop.extent, loop.chunks, chunk + 1));
    } catch (...) {
      error = std::current_exception();
    }
  }
  lock.lock();
  if (!loop.error) loop.error = std::move(error);
  // Under the lock: the caller destroys the loop as soon as it sees the last chunk finished.
  if (++loop.finished == loop.chunks) loop.all_finished.notify_all();
}

void ThreadPool::parallel_for(std::int64_t extent, const Body& body) {
  if (extent <= 0) return;
  const std::int64_t chunks = inside_loop ? 1 : std::min<std::int64_t>(extent, thread_count_);
  if (chunks == 1) return body(0, extent);
  Loop loop{.body = body, .extent = extent, .chunks = chunks, .error = nullptr, .all_finished = {}};
  std::unique_lock lock(mutex_);
  if (!started_) start_workers();
  loops_.push_back(&loop);
  if (chunks - 1 < static_cast<std::int64_t>(workers_.size())) {
    for (std::int64_t i = 1; i < chunks; ++i) work_arrived_.notify_one();
  } else {
    work_arrived_.notify_all();
  }
  // The caller begins chunks until none is left, so that the loop ends even where every worker is busy
  // elsewhere.
  while (loop.begun < loop.chunks) run_next_chunk(loop, lock);
  loop.all_finished.wait(lock, [&] { return loop.finished == loop.chunks; });
  lock.unlock();
  if (loop.error) std::rethrow_exception(std::move(loop.error));
}

}  // namespace ardea::runtime
