#include <gtest/gtest.h>

#include "ardea/ir/memory_alignment.h"
#include "ardea/lower/pipeline.h"
#include "ardea/rules/program_space.h"
#include "tests/gpu_rules/workloads.h"
#include "tests/rules/answers.h"
#include "tests/rules/laws.h"
#include "tests/support/sampled.h"

/// Sums of the prefixes of rows, on GPUs.

namespace ardea::rules {

namespace {

Function scan(std::vector<std::int64_t> sizes, DataType type = float16) {
  Function program = program_of({.op = "scan", .sizes = std::move(sizes), .in = {type}, .out = type});
  for (const Parameter& parameter : std::vector(program.parameters))
    program = promise_alignment(program, parameter.buffer->name, 16, "test");
  return program;
}

bool takes_chunks(const Function& program) {
  const auto made = model_schedule(program, newest_gpu(), rules_for(newest_gpu()));
  return std::find(made->rules.begin(), made->rules.end(), "prefixes by threads") != made->rules.end();
}

/// One launch, in which every element is read and stored in vectors of sixteen bytes and nothing is a loop;
/// a barrier a level of chunks; of what lies beyond a prefix nothing is added, not even zeros.
TEST(PrefixesByThreads, go_through_rows_in_vectors) {
  const std::string text = kernels_of(scan({1024, 1024, 1024}));
  EXPECT_EQ(count_of(text, "__global__"), 1);
  EXPECT_EQ(count_of(text, "const Pack<__half,8> A_row"), 4) << text;
  EXPECT_EQ(count_of(text, "*(Pack<__half,8>*)(scan + "), 2) << text;
  EXPECT_EQ(count_of(text, "__syncthreads();"), 2) << text;
  EXPECT_EQ(count_of(text, "for ("), 0) << text;
  EXPECT_EQ(count_of(text, "+ 0.0f;") + count_of(text, "+ -0.0f;"), 0) << text;
  EXPECT_EQ(count_of(kernels_of(scan({16, 512, 128})), "__syncthreads();"), 1);
}

/// What no prefix has is not read, and rows that are shorter share a block.
TEST(PrefixesByThreads, of_short_rows_share_a_block) {
  const std::string text = kernels_of(scan({1024, 16, 256}));
  EXPECT_NE(text.find("block (4, 8, 1)"), std::string::npos) << text;
  EXPECT_EQ(count_of(text, "for ("), 0) << text;
}

/// Where a thread of its own for each result has less to do.
TEST(PrefixesByThreads, leave_few_steps_to_results) {
  EXPECT_TRUE(takes_chunks(scan({3, 29, 7})));
  EXPECT_FALSE(takes_chunks(scan({3, 29, 4})));
  EXPECT_FALSE(takes_chunks(scan({3, 4, 29})));
}

/// Sizes that chunks divide and others, more prefixes than steps and fewer, two levels of chunks, several
/// chunks a thread.
TEST(PrefixesByThreads, have_right_answers) {
  for (const Function& program : test::sampled<Function>(
           2, {scan({3, 29, 17}, float32), scan({5, 64, 40}), scan({2, 16, 72}), scan({1, 130, 130}, float32),
               scan({1, 9, 9}), scan({2, 300, 280}), scan({4, 33, 65}, int32)}))
    expect_right_samples(program, 3);
}

/// Every solution of small sketches is the symbolic program with its numbers, and sums the prefixes.
TEST(PrefixesByThreads, follow_the_law) {
  const Function program = scan({2, 11, 13}, float32);
  const Answers answers(program);
  const ProgramSpace space = program_space(program, newest_gpu(), rules_for(newest_gpu()));
  EXPECT_TRUE(space.left_out.empty());
  for (const auto& [sketch, solver] : space.sketches)
    for (const space::Point& point : test::sampled(3, solutions_of(sketch.system))) {
      SCOPED_TRACE(in_words(sketch, point));
      answers.expect_of(lower::lower(replayed_by_the_law(sketch, point), newest_gpu()));
    }
}

/// What threads and shared memory allow, and no more.
TEST(PrefixesByThreads, lose_nothing_that_is_valid) {
  const ProgramSpace space = program_space(scan({64, 600, 600}), newest_gpu(), rules_for(newest_gpu()));
  EXPECT_EQ(space.sketches.size(), 3U);
  EXPECT_GT(expect_nothing_lost(space.sketches[0].sketch, newest_gpu(), tuples_to_try(6)).valid, 0);
}

}  // namespace

}  // namespace ardea::rules
