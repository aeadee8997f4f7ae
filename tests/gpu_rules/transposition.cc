#include <gtest/gtest.h>

#include "ardea/ir/print.h"
#include "tests/gpu_rules/workloads.h"

/// Stages that read along one axis and write along another, on GPUs.

namespace ardea::rules {

namespace {

Function transposed(std::int64_t rows, std::int64_t columns, DataType type = float32) {
  return ops::create_function(
      ops::make_workload({.op = "transpose", .sizes = {rows, columns}, .in = {type}}));
}

std::string text_of_tiles(const Function& program) { return print(by_the_model(program)); }

/// Vectors of sixteen bytes on both sides where rows begin at whole ones, and rows of the tile that lie one
/// bank further apart than the banks.
TEST(TranspositionByThreads, goes_through_shared_memory_in_vectors) {
  const std::string text = text_of_tiles(transposed(4096, 4096));
  EXPECT_EQ(count_of(text, "T.vectorized(4)"), 2) << text;
  EXPECT_NE(text.find("scope=\"shared\""), std::string::npos);
  EXPECT_NE(text.find("\"buffer_dim_align\": [[0, 0, 32, 1]]"), std::string::npos) << text;
  EXPECT_EQ(count_of(text_of_tiles(transposed(4096, 4096, float16)), "T.vectorized(8)"), 2);
  EXPECT_EQ(count_of(text_of_tiles(transposed(4097, 4096)), "T.vectorized(4)"), 1);
}

/// What is a few elements along one side needs no tiles.
TEST(TranspositionByThreads, leaves_short_axes_to_elements) {
  EXPECT_EQ(text_of_tiles(transposed(4096, 3)).find("scope=\"shared\""), std::string::npos);
}

TEST(TranspositionByThreads, has_right_answers_where_tiles_hang_over) {
  for (const Function& program : {transposed(17, 29), transposed(130, 36), transposed(67, 64, float16)})
    expect_right_samples(program, 3);
}

}  // namespace

}  // namespace ardea::rules
