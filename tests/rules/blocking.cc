#include "ardea/rules/model/blocking.h"

#include <gtest/gtest.h>

#include "ardea/support/ceil_div.h"

/// The model's tiles of products.

namespace ardea::rules {

namespace {

/// Vectors of sums that the thread with the most of them has, where tiles of rows are shared.
std::int64_t most_sums_of_a_thread(const ProductSizes& sizes, const ProductTile& tile, int threads) {
  const std::int64_t tiles = ceil_div(ceil_div(sizes.m, tile.rows), std::int64_t{threads});
  return tiles * tile.rows * ceil_div(sizes.n, tile.lanes);
}

}  // namespace

TEST(ProductTile, shares_the_rows_evenly_among_threads) {
  const target::Target target = target::find("sapphirerapids");
  for (const int threads : {2, 3, 16})
    for (const ProductSizes& sizes :
         {ProductSizes{2048, 2048, 2048}, ProductSizes{1000, 700, 300}, ProductSizes{997, 512, 64}}) {
      const ProductTile alone = choose_tile(sizes, float32, target, RightOperand::in_place),
                        shared = choose_tile(sizes, float32, target, RightOperand::in_place, threads);
      EXPECT_LE(most_sums_of_a_thread(sizes, shared, threads), most_sums_of_a_thread(sizes, alone, threads))
          << threads << " threads, " << sizes.m << " rows";
    }
  // 14 rows by two vectors is the largest tile: of 147 such, one thread of 16 has ten, 140 rows where 128 are
  // its share.
  const ProductSizes large{2048, 2048, 2048};
  EXPECT_EQ(choose_tile(large, float32, target, RightOperand::in_place).rows, 14);
  // Loads of panels are cheap, and a wider tile copies fewer numbers to all lanes.
  EXPECT_EQ(choose_tile(large, float32, target, RightOperand::in_panels).rows, 6);
  for (const RightOperand right : {RightOperand::in_place, RightOperand::in_panels}) {
    const ProductTile tile = choose_tile(large, float32, target, right, 16);
    EXPECT_LE(most_sums_of_a_thread(large, tile, 16), 132 * 128) << tile.rows << " rows";
  }
}

TEST(ProductTile, shares_blocks_of_rows_and_columns_where_that_reads_less) {
  const target::Target target = target::find("sapphirerapids");
  const ProductSizes large{2048, 2048, 2048};
  const ProductTile tile =
      choose_tile(large, float32, target, RightOperand::in_panels, 16, /*may_share_blocks=*/true);
  const ThreadGrid grid = choose_grid(large, tile, target, RightOperand::in_panels, 16, true);
  EXPECT_EQ(grid.rows, 4);
  EXPECT_EQ(grid.columns, 4);
  EXPECT_FALSE(choose_grid(large, tile, target, RightOperand::in_panels, 16, false).is_of_blocks())
      << "where they may not";
  // Two threads read as much by halves of the rows, of few columns all are read anyway.
  EXPECT_EQ(choose_grid(large, tile, target, RightOperand::in_panels, 2, true).rows, 2);
  EXPECT_EQ(
      choose_grid({.m = 65536, .n = 64, .k = 512}, tile, target, RightOperand::in_panels, 16, true).rows, 16);
  // Never more parts than tiles: 3 tiles of rows, 16 threads.
  const ThreadGrid few =
      choose_grid({.m = 3 * tile.rows, .n = 8192, .k = 512}, tile, target, RightOperand::in_panels, 16, true);
  EXPECT_LE(few.rows, 3);
  EXPECT_EQ(few.rows * few.columns, 16);
}

TEST(ProductTile, shares_the_columns_where_rows_are_few) {
  const target::Target target = target::find("sapphirerapids");
  const ProductTile tile =
      choose_tile({.m = 8, .n = 4096, .k = 512}, float32, target, RightOperand::in_place, 16);
  // 16 columns of 256 each: tiles of 64 columns, or of parts of them, leave no thread with more.
  EXPECT_EQ(ceil_div(ceil_div(std::int64_t{4096}, tile.columns()), std::int64_t{16}) * tile.columns(), 256);
}

/// Where the copy was measured to be worth it, and where not: rows of whole lines, parts of lines, vectors
/// in two lines, a row to each page, rows that fall onto each other.
TEST(PanelsOfTheRightOperand, pay_where_reading_rows_costs_more) {
  const auto pay = [](const char* name, const ProductSizes& sizes, std::int64_t steps = 64) {
    return choose_right(sizes, steps, float32, target::find(name)) == RightOperand::in_panels;
  };
  EXPECT_FALSE(pay("neoverse-v1", {.m = 12, .n = 3072, .k = 768}));
  EXPECT_TRUE(pay("neoverse-v1", {.m = 16, .n = 3072, .k = 768}));
  EXPECT_FALSE(pay("neoverse-v1", {.m = 20, .n = 640, .k = 1024}));
  EXPECT_FALSE(pay("neoverse-v1", {.m = 13, .n = 1000, .k = 3000}));
  EXPECT_TRUE(pay("neoverse-v1", {.m = 48, .n = 1000, .k = 96}));
  EXPECT_TRUE(pay("neoverse-v1", {.m = 127, .n = 127, .k = 127}));
  EXPECT_FALSE(pay("neoverse-v1", {.m = 64, .n = 64, .k = 64}));
  EXPECT_FALSE(pay("neoverse-v1", {.m = 1024, .n = 64, .k = 64}));
  EXPECT_FALSE(pay("sapphirerapids", {.m = 128, .n = 3072, .k = 768}));
  EXPECT_TRUE(pay("sapphirerapids", {.m = 128, .n = 3072, .k = 768}, /*steps=*/768));
  EXPECT_TRUE(pay("sapphirerapids", {.m = 256, .n = 3072, .k = 768}));
  EXPECT_TRUE(pay("sapphirerapids", {.m = 64, .n = 3000, .k = 768}));
  EXPECT_FALSE(pay("sapphirerapids", {.m = 16, .n = 3000, .k = 768}));
  EXPECT_TRUE(pay("sapphirerapids", {.m = 300, .n = 300, .k = 300}));
  EXPECT_FALSE(pay("sapphirerapids", {.m = 127, .n = 127, .k = 127}));
}

/// Where panels of both operands are made, those of the left one again for each block, blocks are as large as
/// a thread's share of the third cache allows, and never smaller than for the second.
TEST(Blocks, are_larger_where_they_are_made_again) {
  target::Target target = target::find("neoverse-v1");
  const std::int64_t near = second_cache_bytes(target) * 3 / 4;
  target.cores = 1;
  EXPECT_EQ(bytes_of_block(RightOperand::in_panels, target), target.cache(3)->bytes / 4);
  EXPECT_EQ(bytes_of_block(RightOperand::in_place, target), near) << "rows that lie there are not made";
  target.cores = 4096;
  EXPECT_EQ(bytes_of_block(RightOperand::in_panels, target), near);
  target = target::find("sapphirerapids");
  target.cores = 1;
  EXPECT_EQ(bytes_of_block(RightOperand::in_panels, target), second_cache_bytes(target) * 3 / 4);
}

/// Rows that are read where they lie are few at a time: the next tile of columns finds the rest of their
/// lines. Panels, and sums that must be whole, are long.
TEST(Blocks, of_rows_in_place_are_of_few_steps) {
  for (const char* name : {"neoverse-v1", "sapphirerapids"}) {
    SCOPED_TRACE(name);
    const target::Target target = target::find(name);
    const auto steps = [&](std::int64_t rows, RightOperand right, bool whole_sums) {
      const ProductSizes sizes{.m = rows, .n = 1000, .k = 3000};
      const ProductTile tile = choose_tile(sizes, float32, target, right);
      return choose_blocks(sizes, tile, float32, right, target, whole_sums).steps;
    };
    EXPECT_LE(steps(13, RightOperand::in_place, false), 96);
    EXPECT_GE(steps(13, RightOperand::in_place, false), 64);
    EXPECT_GE(steps(13, RightOperand::in_panels, false), 200);
    EXPECT_GE(steps(64, RightOperand::in_place, false), 200) << "many sums, stored after each block of steps";
    EXPECT_EQ(steps(13, RightOperand::in_place, true), 3000);
  }
}

/// Few rows of the left operand wait for the right one where it comes out of memory: a block is what
/// prefetching follows and the first cache holds. Not where it stays in the second cache, or where products
/// take longer.
TEST(Blocks, of_rows_that_come_out_of_memory_are_small) {
  target::Target target = target::find("sapphirerapids");
  target.cores = 1;
  for (target::Cache& cache : target.caches) cache.shared_by_cores = 1;
  const auto blocks = [&](std::int64_t rows, std::int64_t columns) {
    const ProductSizes sizes{.m = rows, .n = columns, .k = 2048};
    const ProductTile tile = choose_tile(sizes, float32, target, RightOperand::in_place);
    return choose_blocks(sizes, tile, float32, RightOperand::in_place, target);
  };
  EXPECT_EQ(blocks(16, 1024).steps, 32);
  EXPECT_LE(blocks(16, 1024).steps * blocks(16, 1024).columns * 4, target.cache(1)->bytes);
  EXPECT_EQ(blocks(48, 1024).steps, 64);
  EXPECT_GT(blocks(16, 128).steps, 60) << "1 MiB stays in the second cache";
  EXPECT_GT(blocks(100, 1024).steps, 200);
}

}  // namespace ardea::rules
