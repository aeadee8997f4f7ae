#include "ardea/runtime/thread_pool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
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
void pin(std::thread& thread, int processor) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(processor, &only);
  pthread_setaffinity_np(thread.native_handle(), sizeof(only), &only);
}

/// Tells the processor that this thread only waits.
void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

/// Waits in a loop until `done`, for a moment; whether it came. Sleeping and being woken takes about as long.
template <class Done>
bool spin_until(const Done& done) {
  constexpr auto moment = std::chrono::microseconds(100);
  const auto end = std::chrono::steady_clock::now() + moment;
  do {
    for (int i = 0; i < 32; ++i) {
      if (done()) return true;
      relax();
    }
  } while (std::chrono::steady_clock::now() < end);
  return done();
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
  std::vector<int> allowed = allowed_processors();
  spins_ = static_cast<int>(allowed.size()) >= thread_count_;
  const bool pins = static_cast<int>(allowed.size()) == thread_count_;
  // The caller's comes last: it is the one that is left.
  if (pins) std::stable_partition(allowed.begin(), allowed.end(), [](int i) { return i != sched_getcpu(); });
  try {
    while (static_cast<int>(workers_.size()) < thread_count_ - 1) workers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch)
    // The system gives no more threads: those there are, and the callers themselves, do the work.
    return;
  }
  if (!pins) return;
  processors_ = std::move(allowed);
  for (std::size_t i = 0; i < workers_.size(); ++i) pin(workers_[i], processors_[i]);
}

/// The worker on the caller's processor takes the one that is left.
void ThreadPool::make_room_for_caller() {
  if (processors_.empty() || callers_ > 1) return;
  const int here = sched_getcpu();
  if (here == processors_.back()) return;
  const auto at = std::find(processors_.begin(), processors_.end() - 1, here);
  if (at == processors_.end() - 1) return;
  std::swap(*at, processors_.back());
  pin(workers_[static_cast<std::size_t>(at - processors_.begin())], *at);
}

void ThreadPool::enlist(Loop& loop) {
  loop.previous = last_;
  (last_ != nullptr ? last_->next : first_) = &loop;
  last_ = &loop;
  loops_begun_.fetch_add(1, std::memory_order_release);
}

void ThreadPool::strike(Loop& loop) {
  (loop.previous != nullptr ? loop.previous->next : first_) = loop.next;
  (loop.next != nullptr ? loop.next->previous : last_) = loop.previous;
}

void ThreadPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (spins_ && first_ == nullptr && !stopping_) {
      const std::uint64_t seen = loops_begun_.load(std::memory_order_relaxed);
      lock.unlock();
      spin_until([&] { return loops_begun_.load(std::memory_order_acquire) != seen; });
      lock.lock();
    }
    work_arrived_.wait(lock, [&] { return stopping_ || first_ != nullptr; });
    if (first_ == nullptr) return;
    run_next_chunk(*first_, lock);
  }
}

void ThreadPool::run_next_chunk(Loop& loop, std::unique_lock<std::mutex>& lock) {
  const std::int64_t chunk = loop.begun++;
  if (loop.begun == loop.chunks) strike(loop);
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
  if (loop.finished.fetch_add(1, std::memory_order_acq_rel) + 1 == loop.chunks)
    loop.all_finished.notify_all();
}

void ThreadPool::parallel_for(std::int64_t extent, const Body& body) {
  if (extent <= 0) return;
  const std::int64_t chunks = inside_loop ? 1 : std::min<std::int64_t>(extent, thread_count_);
  if (chunks == 1) return body(0, extent);
  Loop loop{.body = body, .extent = extent, .chunks = chunks};
  std::unique_lock lock(mutex_);
  ++callers_;
  if (!started_) start_workers();
  if (chunks > most_used_.load(std::memory_order_relaxed))
    most_used_.store(static_cast<int>(chunks), std::memory_order_relaxed);
  make_room_for_caller();
  enlist(loop);
  if (chunks - 1 < static_cast<std::int64_t>(workers_.size())) {
    for (std::int64_t i = 1; i < chunks; ++i) work_arrived_.notify_one();
  } else {
    work_arrived_.notify_all();
  }
  // The caller begins chunks until none is left, so that the loop ends even where every worker is busy
  // elsewhere.
  while (loop.begun < loop.chunks) run_next_chunk(loop, lock);
  const auto all_finished = [&] { return loop.finished.load(std::memory_order_acquire) == loop.chunks; };
  if (spins_ && !all_finished()) {
    lock.unlock();
    spin_until(all_finished);
    lock.lock();  // whoever finished last has left the loop then
  }
  loop.all_finished.wait(lock, all_finished);
  --callers_;
  lock.unlock();
  if (loop.error) std::rethrow_exception(std::move(loop.error));
}

}  // namespace ardea::runtime
