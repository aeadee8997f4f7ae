#include "ardea/runtime/thread_pool.h"

#include <gtest/gtest.h>

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "expect_error.h"

namespace ardea::runtime {
namespace {

using Ranges = std::vector<std::pair<std::int64_t, std::int64_t>>;

Ranges ranges_of(ThreadPool& pool, std::int64_t extent) {
  std::mutex mutex;
  Ranges ranges;
  pool.parallel_for(extent, [&](std::int64_t begin, std::int64_t end) {
    const std::lock_guard lock(mutex);
    ranges.emplace_back(begin, end);
  });
  std::sort(ranges.begin(), ranges.end());
  return ranges;
}

TEST(ThreadPool, cuts_the_extent_into_nearly_equal_ranges_one_a_thread) {
  ThreadPool pool(3);
  EXPECT_EQ(ranges_of(pool, 0), Ranges{});
  EXPECT_EQ(ranges_of(pool, -5), Ranges{});
  EXPECT_EQ(ranges_of(pool, 1), (Ranges{{0, 1}}));
  EXPECT_EQ(ranges_of(pool, 2), (Ranges{{0, 1}, {1, 2}}));
  EXPECT_EQ(ranges_of(pool, 11), (Ranges{{0, 4}, {4, 8}, {8, 11}}));
  EXPECT_EQ(ranges_of(pool, INT64_MAX).back().second, INT64_MAX) << "no overflow";
}

TEST(ThreadPool, covers_every_iteration_once_for_any_number_of_threads) {
  for (const int threads : {1, 2, 3, 7}) {
    ThreadPool pool(threads);
    for (const std::int64_t extent : {1, 2, 3, 5, 7, 8, 97, 1000}) {
      std::vector<std::atomic<int>> visits(static_cast<std::size_t>(extent));
      pool.parallel_for(extent, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
      });
      EXPECT_TRUE(std::all_of(visits.begin(), visits.end(), [](const auto& v) { return v == 1; }))
          << threads << " " << extent;
    }
  }
}

TEST(ThreadPool, runs_ranges_at_the_same_time) {
  ThreadPool pool(3);
  std::atomic<int> inside{0};
  // Each range waits until all are there: this ends only where three threads run at once.
  pool.parallel_for(3, [&](std::int64_t, std::int64_t) {
    ++inside;
    while (inside < 3) std::this_thread::yield();
  });
  EXPECT_EQ(inside, 3);
}

TEST(ThreadPool, runs_loops_inside_a_loop_serially_on_the_same_thread) {
  ThreadPool pool(4);
  std::atomic<int> inner_calls{0}, elsewhere{0};
  pool.parallel_for(4, [&](std::int64_t, std::int64_t) {
    const std::thread::id outer = std::this_thread::get_id();
    pool.parallel_for(10, [&](std::int64_t begin, std::int64_t end) {
      ++inner_calls;
      if (std::this_thread::get_id() != outer || begin != 0 || end != 10) ++elsewhere;
    });
  });
  EXPECT_EQ(inner_calls, 4);
  EXPECT_EQ(elsewhere, 0);
}

TEST(ThreadPool, is_parallel_again_after_a_loop_and_inside_a_loop_of_one) {
  ThreadPool pool(2);
  EXPECT_EQ(ranges_of(pool, 2).size(), 2u);
  EXPECT_EQ(ranges_of(pool, 2).size(), 2u);
  std::size_t inner = 0;
  pool.parallel_for(1, [&](std::int64_t, std::int64_t) { inner = ranges_of(pool, 2).size(); });
  EXPECT_EQ(inner, 2u) << "a single iteration leaves the processors free";
}

TEST(ThreadPool, serves_many_callers_at_once) {
  ThreadPool pool(3);
  std::vector<std::thread> callers;
  std::atomic<std::int64_t> total{0};
  for (int c = 0; c < 6; ++c)
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round)
        pool.parallel_for(17, [&](std::int64_t begin, std::int64_t end) { total += end - begin; });
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(total, 6 * 50 * 17);
}

TEST(ThreadPool, serves_more_callers_at_once_than_threads_share_loops) {
  ThreadPool pool(3);
  constexpr int callers_count = 40;  // all inside their loops at the same time
  std::atomic<int> inside{0};
  std::atomic<std::int64_t> total{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < callers_count; ++c)
    callers.emplace_back([&] {
      bool first = true;
      pool.parallel_for(3, [&](std::int64_t begin, std::int64_t end) {
        total += end - begin;
        if (begin != 0 || !first) return;
        first = false;
        for (++inside; inside < callers_count;) std::this_thread::yield();
      });
    });
  // Chunk 0 is the first to be begun. Workers hold three of them at most: all others are their callers'.
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(total, callers_count * 3);
}

/// Loops of different lengths one directly after the other, some after all have gone to sleep: a chunk of an
/// ended loop that is begun again, or one that is lost, shows in the counts (or never ends).
TEST(ThreadPool, begins_every_chunk_of_many_short_loops_once) {
  for (const int threads : {2, 5}) {  // five: more than there may be processors, so that they sleep at once
    ThreadPool pool(threads);
    std::vector<std::atomic<int>> visits(5);
    for (int round = 1; round <= 3000; ++round) {
      const std::int64_t extent = 1 + round % threads;
      for (auto& visit : visits) visit = 0;
      pool.parallel_for(extent, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
      });
      for (std::int64_t i = 0; i < 5; ++i)
        ASSERT_EQ(visits[static_cast<std::size_t>(i)], i < extent ? 1 : 0) << threads << " " << round;
      if (round % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
}

TEST(ThreadPool, a_caller_that_sleeps_is_woken_by_the_last_chunk) {
  ThreadPool pool(2);
  for (int round = 0; round < 10; ++round) {
    std::atomic<bool> caller_done{false};
    const std::thread::id caller = std::this_thread::get_id();
    std::atomic<int> ran{0};
    pool.parallel_for(2, [&](std::int64_t, std::int64_t) {
      ++ran;
      if (std::this_thread::get_id() == caller) {
        caller_done = true;
        return;
      }
      while (!caller_done && ran < 2) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(3));  // longer than anybody looks on
    });
    ASSERT_EQ(ran, 2);
  }
}

TEST(ThreadPool, throws_the_first_exception_again_and_works_on) {
  ThreadPool pool(4);
  for (int round = 0; round < 20; ++round) {
    std::string caught;
    try {
      pool.parallel_for(4, [](std::int64_t begin, std::int64_t) {
        if (begin == 2) throw std::runtime_error("range 2");
      });
    } catch (const std::runtime_error& error) {
      caught = error.what();
    }
    ASSERT_EQ(caught, "range 2");
    ASSERT_EQ(ranges_of(pool, 4).size(), 4u);
  }
}

TEST(ThreadPool, waits_for_all_ranges_where_all_throw) {
  ThreadPool pool(4);
  std::atomic<int> running{0};
  EXPECT_THROW(pool.parallel_for(4,
                                 [&](std::int64_t, std::int64_t) {
                                   ++running;
                                   std::this_thread::sleep_for(std::chrono::milliseconds(1));
                                   --running;
                                   throw 7;
                                 }),
               int);
  EXPECT_EQ(running, 0);
}

TEST(ThreadPool, the_first_exception_in_time_wins) {
  ThreadPool pool(2);
  std::atomic<bool> second_threw{false};
  std::atomic<int> arrived{0};
  try {
    pool.parallel_for(2, [&](std::int64_t begin, std::int64_t) {
      for (++arrived; arrived < 2;) std::this_thread::yield();
      if (begin == 1) {
        second_threw = true;
        throw std::runtime_error("early");
      }
      while (!second_threw) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      throw std::runtime_error("late");
    });
    FAIL() << "no exception";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "early");
  }
}

TEST(ThreadPool, starts_no_thread_before_it_is_needed_and_ends_cleanly) {
  for (int i = 0; i < 20; ++i) {
    ThreadPool unused(8);
    ThreadPool used(3);
    used.parallel_for(3, [](std::int64_t, std::int64_t) {});
  }
}

TEST(ThreadPool, refuses_a_count_of_threads_that_cannot_be) {
  EXPECT_EQ(choose_thread_count("3"), 3);
  EXPECT_GE(choose_thread_count(nullptr), 1);
  EXPECT_GE(choose_thread_count(""), 1);
  for (const char* bad : {"0", "-1", "two", "3x", " 3", "4097", "99999999999999999999"})
    expect_error([&] { choose_thread_count(bad); },
                 fmt::format("ARDEA_NUM_THREADS is \"{}\", it must be a whole number from 1 to 4096", bad));
  expect_error([] { ThreadPool(0); }, "ThreadPool(0): the number of threads must be from 1 to 4096");
}

TEST(ThreadPool, counts_the_processors_this_process_may_use) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  CPU_ZERO(&one);
  for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i)
    if (CPU_ISSET(i, &before)) CPU_SET(i, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(choose_thread_count(nullptr), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
  EXPECT_EQ(choose_thread_count(nullptr), CPU_COUNT(&before));
}

std::set<int> allowed_here() {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  std::set<int> numbers;
  if (sched_getaffinity(0, sizeof(processors), &processors) == 0)
    for (int i = 0; i < CPU_SETSIZE; ++i)
      if (CPU_ISSET(i, &processors)) numbers.insert(i);
  return numbers;
}

void allow_here(const std::set<int>& numbers) {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  for (const int i : numbers) CPU_SET(i, &processors);
  ASSERT_EQ(sched_setaffinity(0, sizeof(processors), &processors), 0);
}

/// Where each worker may run, while all run at once.
std::vector<std::set<int>> places_of_workers(ThreadPool& pool) {
  const std::thread::id caller = std::this_thread::get_id();
  std::mutex mutex;
  std::vector<std::set<int>> places;
  std::atomic<int> inside{0};
  pool.parallel_for(pool.thread_count(), [&](std::int64_t, std::int64_t) {
    for (++inside; inside < pool.thread_count();) std::this_thread::yield();
    const std::lock_guard lock(mutex);
    if (std::this_thread::get_id() != caller) places.push_back(allowed_here());
  });
  return places;
}

TEST(ThreadPool, pins_its_workers_where_it_has_a_thread_for_every_processor) {
  const std::set<int> all = allowed_here();
  const auto count = static_cast<int>(all.size());
  ThreadPool whole(count), more(count + 1);
  std::set<int> taken;
  for (const std::set<int>& places : places_of_workers(whole)) {
    ASSERT_EQ(places.size(), 1u);
    EXPECT_TRUE(taken.insert(*places.begin()).second) << "two workers on one processor";
    EXPECT_TRUE(all.contains(*places.begin()));
  }
  EXPECT_EQ(taken.size(), static_cast<std::size_t>(count - 1));
  for (const std::set<int>& places : places_of_workers(more)) EXPECT_EQ(places, all);
}

TEST(ThreadPool, a_worker_makes_room_for_the_caller) {
  const std::set<int> all = allowed_here();
  if (all.size() < 2) GTEST_SKIP() << "there is one processor";
  ThreadPool pool(static_cast<int>(all.size()));
  places_of_workers(pool);
  for (const int here : all) {
    allow_here({here});
    std::set<int> taken;
    for (const std::set<int>& places : places_of_workers(pool)) {
      EXPECT_FALSE(places.contains(here)) << "a worker stayed on the caller's processor " << here;
      taken.insert(places.begin(), places.end());
    }
    EXPECT_EQ(taken.size(), all.size() - 1);
  }
  allow_here(all);
}

TEST(ThreadPool, a_forked_child_has_a_pool_of_its_own) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "sanitizers forbid threads after a fork, or take what the parent's threads held for leaked";
#endif
  ThreadPool::shared().parallel_for(64, [](std::int64_t, std::int64_t) {});
  const ThreadPool* parents = &ThreadPool::shared();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::atomic<std::int64_t> total{0};
    ThreadPool::shared().parallel_for(64,
                                      [&](std::int64_t begin, std::int64_t end) { total += end - begin; });
    std::exit(total == 64 && &ThreadPool::shared() != parents ? 0
                                                              : 1);  // exit: the destructors must not hang
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(&ThreadPool::shared(), parents);
}

}  // namespace
}  // namespace ardea::runtime
