#include "ardea/runtime/thread_pool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <thread>

#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::runtime {

namespace {

constexpr int most_threads = ARDEA_MOST_THREADS;

/// Set on a thread while it runs a chunk: a loop inside a loop has no processors left to gain.
thread_local bool inside_loop = false;

struct InsideLoop {
  InsideLoop() { inside_loop = true; }
  ~InsideLoop() { inside_loop = false; }
};

/// Those that this thread may run on; none where there are more than cpu_set_t has bits for.
std::vector<int> allowed_processors() {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  std::vector<int> numbers;
  if (sched_getaffinity(0, sizeof(processors), &processors) != 0) return numbers;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &processors)) numbers.push_back(i);
  return numbers;
}

int available_processors() {
  const auto allowed = static_cast<int>(allowed_processors().size());
  return allowed > 0 ? allowed : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// A thread that cannot be pinned runs where it may.
void pin(pthread_t thread, int processor) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(processor, &only);
  pthread_setaffinity_np(thread, sizeof(only), &only);
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

/// One loop in progress, on the stack of its caller.
struct ThreadPool::Loop {
  const Body& body;
  std::int64_t extent;
  std::int64_t chunks;
  std::atomic<bool> given_up{false};
  std::mutex mutex = {};
  std::exception_ptr error = nullptr;
};

ThreadPool::ThreadPool(int threads)
    : thread_count_(threads), threads_([&] {
        require(threads >= 1 && threads <= most_threads,
                "ThreadPool({}): the number of threads must be from 1 to {}", threads, most_threads);
        ArdeaThreads* made = ardea_make_threads(threads, threads <= available_processors());
        if (made == nullptr) throw std::bad_alloc();
        return made;
      }()) {}

ThreadPool::~ThreadPool() { ardea_stop_threads(threads_); }

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

void ThreadPool::start() {
  std::call_once(started_, [&] {
    std::vector<int> allowed = allowed_processors();
    // The caller's comes last: it is the one that is left.
    std::stable_partition(allowed.begin(), allowed.end(), [](int i) { return i != sched_getcpu(); });
    ardea_start_threads(threads_);
    const int workers = ardea_worker_count(threads_);
    if (static_cast<int>(allowed.size()) != thread_count_ || workers != thread_count_ - 1) return;
    for (int i = 0; i < workers; ++i) pin(ardea_worker(threads_, i), allowed[static_cast<std::size_t>(i)]);
    processors_ = std::move(allowed);
    left_ = processors_.back();
  });
}

/// The worker on the caller's processor takes the one that is left.
void ThreadPool::make_room_for_caller() {
  const int left = left_;
  if (left < 0 || callers_ > 1 || sched_getcpu() == left) return;
  const std::lock_guard lock(mutex_);
  const auto at = std::find(processors_.begin(), processors_.end() - 1, sched_getcpu());
  if (at == processors_.end() - 1) return;
  std::swap(*at, processors_.back());
  pin(ardea_worker(threads_, static_cast<int>(at - processors_.begin())), *at);
  left_ = processors_.back();
}

void ThreadPool::run_chunk(void* of, std::int64_t chunk) {
  Loop& loop = *static_cast<Loop*>(of);
  if (loop.given_up) return;
  try {
    const InsideLoop inside;
    loop.body(chunk_begin(loop.extent, loop.chunks, chunk), chunk_begin(loop.extent, loop.chunks, chunk + 1));
  } catch (...) {
    const std::lock_guard lock(loop.mutex);
    if (!loop.error) loop.error = std::current_exception();
    loop.given_up = true;
  }
}

void ThreadPool::parallel_for(std::int64_t extent, const Body& body) {
  if (extent <= 0) return;
  const std::int64_t chunks = inside_loop ? 1 : std::min<std::int64_t>(extent, thread_count_);
  if (chunks == 1) return body(0, extent);
  Loop loop{.body = body, .extent = extent, .chunks = chunks};
  if (chunks > most_used_.load(std::memory_order_relaxed))
    most_used_.store(static_cast<int>(chunks), std::memory_order_relaxed);
  start();
  ++callers_;
  make_room_for_caller();
  ardea_run_chunks(threads_, chunks, run_chunk, &loop);
  --callers_;
  if (loop.error) std::rethrow_exception(std::move(loop.error));
}

}  // namespace ardea::runtime
