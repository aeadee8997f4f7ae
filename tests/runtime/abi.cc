#include "ardea/runtime/abi.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#include "ardea/runtime/error_state.h"

namespace ardea::runtime {
namespace {

struct LoopRecord {
  std::atomic<std::int64_t> total{0};
  std::int64_t fail_at = -1;
};

std::int32_t record_range(std::int64_t begin, std::int64_t end, void* closure) {
  auto* record = static_cast<LoopRecord*>(closure);
  record->total += end - begin;
  if (record->fail_at < begin || record->fail_at >= end) return 0;
  ardea_set_error("iteration 5 failed");
  return 2;
}

TEST(ParallelAbi, covers_the_loop) {
  LoopRecord record;
  EXPECT_EQ(ardea_parallel_for(record_range, &record, 1001), 0);
  EXPECT_EQ(record.total, 1001);
  EXPECT_EQ(ardea_parallel_for(record_range, &record, 0), 0);
  EXPECT_EQ(record.total, 1001);
}

TEST(ParallelAbi, reports_the_sentence_on_the_thread_that_waits) {
  for (const std::int64_t extent : {6, 1000}) {
    LoopRecord record;
    record.fail_at = extent - 1;  // in the last range, which a worker may have taken
    EXPECT_NE(ardea_parallel_for(record_range, &record, extent), 0);
    EXPECT_EQ(take_error(), "iteration 5 failed");
  }
  EXPECT_NE(
      ardea_parallel_for([](std::int64_t, std::int64_t, void*) -> std::int32_t { return 1; }, nullptr, 3), 0);
  EXPECT_EQ(take_error(), "a parallel loop failed without a sentence");
}

TEST(MemoryAbi, gives_memory_aligned_as_asked_and_at_least_to_64) {
  for (const std::int64_t alignment : {0, 1, 16, 64, 128, 4096}) {
    void* memory = ardea_allocate(100, alignment);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) %
                  static_cast<std::uintptr_t>(std::max<std::int64_t>(alignment, 64)),
              0u);
    ardea_free(memory);
  }
  void* nothing = ardea_allocate(0, 64);
  EXPECT_NE(nothing, nullptr);
  ardea_free(nothing);
  ardea_free(nullptr);
  EXPECT_EQ(ardea_allocate(-1, 64), nullptr);
  EXPECT_EQ(ardea_allocate(8, 48), nullptr) << "48 is no power of two";
}

/// A kernel that is called again gets the pages that it had.
TEST(MemoryAbi, keeps_large_memory_for_the_thread_that_freed_it) {
  const std::int64_t large = 1 << 20;
  void* const first = ardea_allocate(large, 64);
  ASSERT_NE(first, nullptr);
  ardea_free(first);
  void* const again = ardea_allocate(large - 1000, 64);
  EXPECT_EQ(again, first);
  void* const beside = ardea_allocate(large, 64);
  EXPECT_NE(beside, first) << "it is in use";
  std::thread([&] {
    ardea_free(again);
    void* const here = ardea_allocate(large, 64);
    EXPECT_EQ(here, again) << "kept where it was freed";
    ardea_free(here);
  }).join();
  ardea_free(beside);
  void* const small = ardea_allocate(large / 8, 64);
  EXPECT_NE(small, beside) << "a small one does not take a large one's place";
  ardea_free(small);
}

TEST(MemoryAbi, keeps_no_more_than_it_says) {
  std::vector<void*> blocks;
  for (int i = 0; i < 40; ++i)
    blocks.push_back(ardea_allocate(std::int64_t{1} << (16 + i % 11), 64 << i % 4));
  for (void* block : blocks) {
    ASSERT_NE(block, nullptr);
    std::memset(block, 1, 1 << 16);
    ardea_free(block);
  }
  void* const huge = ardea_allocate(std::int64_t{100} << 20, 64);
  ASSERT_NE(huge, nullptr);
  ardea_free(huge);
}

TEST(ErrorAbi, keeps_a_sentence_a_thread) {
  std::string sentence = "first";
  ardea_set_error(sentence.c_str());
  sentence = "overwritten";
  std::thread([] {
    EXPECT_EQ(take_error(), "");
    ardea_set_error("second");
  }).join();
  EXPECT_EQ(take_error(), "first");
  EXPECT_EQ(take_error(), "");
  ardea_set_error(nullptr);
  EXPECT_EQ(take_error(), "an error without a sentence");
}

TEST(ErrorAbi, puts_the_values_into_the_sentence_in_order) {
  const std::int64_t values[] = {3, -7};
  ardea_set_error_format("extent {} of A is {}, {}", values, 2);
  EXPECT_EQ(take_error(), "extent 3 of A is -7, {}") << "a place without a value stays";
  const std::int64_t types[] = {0x2400001, 0x2200004, 5};
  ardea_set_error_format("A is {type} and {type}, not {}, {type}", types, 3);
  EXPECT_EQ(take_error(),
            "A is float64 and a type that Ardea has not (DLPack code 2, 32 bits, 4 lanes), not 5, {type}");
  ardea_set_error_format("no { places } {", values, 0);
  EXPECT_EQ(take_error(), "no { places } {");
}

}  // namespace
}  // namespace ardea::runtime
