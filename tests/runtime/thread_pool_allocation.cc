#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "ardea/runtime/abi.h"
#include "ardea/runtime/thread_pool.h"

/// In a file of its own: it counts all that this program allocates. Sanitizers have allocators of their own.

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define ARDEA_COUNTS_ALLOCATIONS 0
#else
#define ARDEA_COUNTS_ALLOCATIONS 1
#endif

namespace {
std::atomic<std::int64_t> allocations{0};
}

#if ARDEA_COUNTS_ALLOCATIONS
// Not inlined: GCC takes free for the wrong way to give back what a new that it sees has made.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace ardea::runtime {
namespace {

TEST(ThreadPoolAllocation, loops_allocate_nothing) {
  if (!ARDEA_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer counts its own";
  std::atomic<std::int64_t> total{0};
  const ArdeaParallelBody body = [](std::int64_t begin, std::int64_t end, void* closure) -> std::int32_t {
    *static_cast<std::atomic<std::int64_t>*>(closure) += end - begin;
    return 0;
  };
  // The first loop starts the threads.
  ASSERT_EQ(ardea_parallel_for(body, &total, 64), 0);
  const std::int64_t before = allocations;
  for (int i = 0; i < 100; ++i) ASSERT_EQ(ardea_parallel_for(body, &total, 64), 0);
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(total, 101 * 64);

  ThreadPool pool(3);
  const ThreadPool::Body range = [&](std::int64_t begin, std::int64_t end) { total += end - begin; };
  pool.parallel_for(64, range);
  const std::int64_t again = allocations;
  for (int i = 0; i < 100; ++i) pool.parallel_for(64, range);
  EXPECT_EQ(allocations, again);
}

}  // namespace
}  // namespace ardea::runtime
