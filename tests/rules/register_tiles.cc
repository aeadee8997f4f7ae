#include "ardea/rules/model/register_tiles.h"

#include <gtest/gtest.h>

#include "ardea/ops/registry.h"
#include "ardea/rules/analysis/channel_sum.h"
#include "ardea/schedule/program/tree.h"

/// The model's tiles of sums over windows.

namespace ardea::rules {

/// Where lanes are multiplied by, each number that is multiplied stays in a register beside the sums: of 6
/// rows by 4 vectors on 32 registers two were saved and loaded again in every step.
TEST(SumTile, leaves_registers_for_what_is_multiplied) {
  const target::Target by_lanes = target::find("neoverse-v1"), by_copies = target::find("sapphirerapids");
  for (std::int64_t rows = 1; rows <= 64; rows += 7)
    for (const std::int64_t columns : {1, 7, 14, 56, 196, 3136}) {
      const SumTile tile = choose_sum_tile(rows, columns, by_lanes);
      EXPECT_LE(tile.rows * tile.vectors + tile.vectors + tile.rows, 32) << rows << " by " << columns;
      const SumTile other = choose_sum_tile(rows, columns, by_copies);
      EXPECT_LE(other.rows * other.vectors + other.vectors + 1, 32) << rows << " by " << columns;
    }
  EXPECT_GE(choose_sum_tile(64, 56, by_lanes).rows * choose_sum_tile(64, 56, by_lanes).vectors, 16);
  EXPECT_GT(choose_sum_tile(64, 56, by_copies).rows * choose_sum_tile(64, 56, by_copies).vectors, 22);
}

/// Of a transposed convolution of stride 2, every second place has the same numbers of the kernel: where a
/// tile does not begin with the same one each time, it would load them for every place.
TEST(SumTile, takes_whole_periods) {
  for (const char* const name : {"neoverse-v1", "avx2", "sapphirerapids"})
    for (const std::int64_t period : {2, 3, 4})
      for (const std::int64_t rows : {24, 32, 56, 112}) {
        const target::Target target = target::find(name);
        const SumTile tile = choose_sum_tile(rows, 64, target, {.period = period, .are_side_by_side = true});
        EXPECT_EQ(tile.rows % period, 0) << name << ", " << period << ", " << rows;
        EXPECT_GE(tile.rows * tile.vectors, target.vector_registers / 3);
        EXPECT_LE(tile.rows * tile.vectors + period * tile.vectors + 1, target.vector_registers);
      }
}

/// Numbers that lie apart take a register each.
TEST(SumTile, leaves_registers_for_numbers_of_periods) {
  const target::Target target = target::find("neoverse-v1");
  const SumTile together = choose_sum_tile(32, 64, target, {.period = 2, .are_side_by_side = true});
  const SumTile apart = choose_sum_tile(32, 64, target, {.period = 2, .are_side_by_side = false});
  EXPECT_EQ(together.rows * together.vectors, 24);
  EXPECT_LE(apart.rows * apart.vectors + 2 * apart.vectors + apart.rows / 2 + 1, 32);
  EXPECT_LT(apart.rows * apart.vectors, 24);
}

/// What the index expressions of transposed convolutions say of it.
TEST(ChannelSum, knows_after_how_many_places_the_kernel_comes_again) {
  const auto found = [](const char* op, std::vector<std::int64_t> sizes, const char* layout) {
    const Function program =
        ops::create_function(ops::make_workload({.op = op, .sizes = std::move(sizes), .layout = layout}));
    return *channel_sum(program, {schedule::all_blocks(program).back().block().id});
  };
  const ChannelSum by_two = found("t2d", {1, 5, 7, 3, 8, 4, 4, 2, 1, 1}, "nchw");
  EXPECT_EQ(by_two.period, 2);
  EXPECT_TRUE(by_two.has_data_side_by_side);
  const ChannelSum by_three = found("t2d", {1, 5, 7, 3, 8, 3, 3, 3, 0, 1}, "nhwc");
  EXPECT_EQ(by_three.period, 3);
  EXPECT_FALSE(by_three.has_data_side_by_side);
  EXPECT_EQ(found("t2d", {1, 5, 7, 3, 8, 3, 3, 1, 1, 1}, "nchw").period, 1);
  EXPECT_EQ(found("grouped", {1, 5, 7, 8, 8, 3, 3, 1, 1, 1, 2}, "nchw").period, 1);
}

}  // namespace ardea::rules
