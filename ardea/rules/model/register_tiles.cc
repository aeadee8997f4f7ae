#include "ardea/rules/model/register_tiles.h"

#include <algorithm>

#include "ardea/rules/model/blocking.h"
#include "ardea/support/ceil_div.h"

namespace ardea::rules {

namespace {

/// As many as vectorize writes one after another.
constexpr std::int64_t most_vectors = 4;

/// Loads are never all hidden: those that miss the nearest cache, or cross its lines, hold up so much of a
/// product each.
constexpr double products_held_up_by_a_load = 0.25;

/// Vectors and numbers that a step loads.
struct Loaded {
  std::int64_t vectors, numbers;
};

Loaded loaded_by(std::int64_t rows, std::int64_t vectors, const TileOperands& operands) {
  if (operands.period == 1) return {vectors, rows};
  if (rows % operands.period != 0) return {rows * vectors, rows};
  // One more: rows of one period need not share.
  return {operands.period * vectors, rows / operands.period + 1};
}

/// In products that the machine starts in that time.
double step_cost(std::int64_t rows, std::int64_t vectors, const target::Core& core,
                 const TileOperands& operands) {
  const Loaded loaded = loaded_by(rows, vectors, operands);
  const auto products = static_cast<double>(rows * vectors),
             loads = static_cast<double>(loaded.vectors + loaded.numbers);
  return std::max({products, loads * core.multiplications_per_cycle / core.loads_per_cycle,
                   static_cast<double>(core.sums_in_flight())}) +
         loads * products_held_up_by_a_load;
}

/// The number of tiles of each of the two sizes that an extent is cut into.
struct Cut {
  std::int64_t whole, rest;
};

Cut cut(std::int64_t extent, std::int64_t tile) { return {extent / tile, extent % tile}; }

double cost_of(const SumTile& tile, std::int64_t rows, std::int64_t vectors, const target::Core& core,
               const TileOperands& operands) {
  const Cut down = cut(rows, tile.rows), right = cut(vectors, tile.vectors);
  double cost = 0;
  for (const auto& [tall, height] : {std::pair(down.whole, tile.rows), std::pair(std::int64_t{1}, down.rest)})
    for (const auto& [wide, width] :
         {std::pair(right.whole, tile.vectors), std::pair(std::int64_t{1}, right.rest)})
      if (height > 0 && width > 0)
        cost +=
            static_cast<double>(tall) * static_cast<double>(wide) * step_cost(height, width, core, operands);
  return cost;
}

/// Where instructions multiply by a lane, a number is in a register for all of its products; where the
/// numbers of a tile do not lie side by side, each takes one of its own.
std::int64_t registers_of(const SumTile& tile, const target::Target& target, const TileOperands& operands) {
  const bool is_shared = operands.period > 1 && tile.rows % operands.period == 0;
  const Loaded loaded = loaded_by(tile.rows, tile.vectors, operands);
  const std::int64_t vectors = is_shared ? loaded.vectors : tile.vectors;
  std::int64_t numbers = 1;
  if (multiplies_by_lanes(target))
    numbers =
        is_shared && operands.are_side_by_side ? ceil_div(loaded.numbers, lanes_of(target)) : loaded.numbers;
  return tile.rows * tile.vectors + vectors + numbers;
}

}  // namespace

std::int64_t lanes_of(const target::Target& target) { return target.vector_bits / float32.bits; }

SumTile choose_sum_tile(std::int64_t rows, std::int64_t columns, const target::Target& target,
                        const TileOperands& operands) {
  const std::int64_t lanes = lanes_of(target), vectors = ceil_div(columns, lanes);
  SumTile best;
  best.cost = cost_of(best, rows, vectors, target.core, operands);
  for (std::int64_t width = 1; width <= std::min(most_vectors, vectors); ++width)
    for (std::int64_t height = 1; height <= rows; ++height) {
      SumTile tile{height, width};
      if (registers_of(tile, target, operands) > target.vector_registers) continue;
      tile.cost = cost_of(tile, rows, vectors, target.core, operands);
      if (tile.cost < best.cost) best = tile;
    }
  return best;
}

}  // namespace ardea::rules
