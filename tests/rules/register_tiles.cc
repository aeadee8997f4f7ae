#include "ardea/rules/model/register_tiles.h"

#include <gtest/gtest.h>

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

}  // namespace ardea::rules
