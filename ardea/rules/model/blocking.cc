#include "ardea/rules/model/blocking.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ardea/limits/register_tile.h"
#include "ardea/support/ceil_div.h"

namespace ardea::rules {

namespace {

/// Several times what a second cache takes to answer.
constexpr double cycles_ahead = 128;
/// That a second cache hands on, while the right operand streams from it.
constexpr double streamed_bytes_a_cycle = 48;
/// What comes from beyond the second cache to one of many threads.
constexpr double common_bytes_a_cycle = 4;
/// Threads that are less busy are worth another tile than the best of one thread, and blocks, from here on.
constexpr double least_gain_of_sharing = 1.03;
/// A new sum begins, the old one is stored.
constexpr double cycles_around_a_tile = 24;
/// Loads of operands are never all hidden: one holds up so many multiplications. Where lanes are multiplied
/// by, each is a vector that serves several; elsewhere a number of the left operand is copied to all lanes of
/// one, and vectors of the right one come from the second cache, from rows far apart or from panels (fitted
/// to seven tiles on an Emerald Rapids).
constexpr double held_up_by_an_operand = 0.25, held_up_by_a_number = 1, held_up_by_a_row = 8,
                 held_up_by_a_panel = 1.5;
/// Where both operands are in registers, and all of these are taken, a step's loads wait for the products of
/// the step before: so many are left for them (13 rows by two vectors of 4 did 62 GFLOP/s on a Neoverse-V1,
/// 12 by two 71).
constexpr std::int64_t registers_of_next_loads = 2;
/// What a cache is taken to hold where the target does not know it.
constexpr std::int64_t usual_first_cache = std::int64_t{32} << 10,
                       usual_second_cache = 16 * usual_first_cache, usual_line = 64;
/// Of the sum a block has at least so many steps, whatever the caches.
constexpr std::int64_t least_steps = 64;
/// Of rows that are read where they lie a tile takes a part of each, and the tile beside it the rest of the
/// lines: these stay until then where they take no more than this share of the first cache. With 96 rows
/// 20×3000×3000 did 48 GFLOP/s on a Neoverse-V1, with 192 30 and with 750 17; 16×4096×4096 on an Emerald
/// Rapids did 79 with 64 rows and 61 with 192. Where the left operand has many rows, their sums would be
/// stored too often (64×768×3072 there: 2 % slower).
constexpr double share_of_lines_in_place = 3.0 / 32;
/// Of rows that are read where they lie, out of memory, a core follows so many at once by its own
/// prefetching; where the products take longer, twice as many. And what a block
/// takes stays in the first cache, this part of it, so that memory goes on while other rows of the left
/// operand use it (16×4096×1024 on a Sapphire Rapids whose memory others used, too: 90 GFLOP/s with 32 steps
/// and blocks of a few tiles, 38 with 72 steps and all columns; 12×4096×4096 69 and 27, 48×2048×1024 107 and
/// 88). Where lanes are multiplied by, the share above was measured.
constexpr std::int64_t rows_followed = 32;
constexpr double share_of_block_in_place = 2.0 / 3;
/// So many rows of the left operand must be multiplied by a panel before it has paid for itself. Rows of
/// whole lines that are asked for early enough are read almost as fast as panels; tiles that loads keep busy
/// feel the lines that they use parts of; and a row to each page, a vector in two lines, or rows that fall
/// onto each other soon cost more than a copy (measured with sums of 64 to 3072 products on a Neoverse-V1 and
/// an Emerald Rapids). Panels pay sooner where lanes are multiplied by.
constexpr std::int64_t rows_over_whole_lines = 200, rows_over_parts_of_lines = 32, few_rows = 32,
                       few_rows_by_lanes = 14;

/// Equal parts, none larger than `most`: the size of one.
std::int64_t equal_parts(std::int64_t total, std::int64_t most) {
  return ceil_div(total, ceil_div(total, std::max<std::int64_t>(most, 1)));
}

double cycles_of_tile(std::int64_t rows, std::int64_t vectors, std::int64_t lanes, std::int64_t k,
                      RightOperand right, const target::Target& target) {
  const target::Core& core = target.core;
  const auto sums = static_cast<double>(rows * vectors);
  // Where instructions multiply by a lane, whole vectors of the left operand are one load each.
  const bool takes_lanes = multiplies_by_lanes(target);
  const std::int64_t of_left = takes_lanes ? rows / lanes + rows % lanes : rows;
  const auto loads = static_cast<double>(of_left + vectors);
  const double streamed = static_cast<double>(vectors * target.vector_bits) / 8 / streamed_bytes_a_cycle;
  const double step = std::max({sums / core.multiplications_per_cycle, loads / core.loads_per_cycle, streamed,
                                static_cast<double>(core.sum_cycles)});
  const double by_a_row = right == RightOperand::in_panels ? held_up_by_a_panel : held_up_by_a_row;
  const double held_up =
      takes_lanes ? held_up_by_an_operand * loads
                  : held_up_by_a_number * static_cast<double>(rows) + by_a_row * static_cast<double>(vectors);
  return (step + held_up / core.multiplications_per_cycle) * static_cast<double>(k) + cycles_around_a_tile +
         2 * sums;
}

/// All tiles of the product, those at the edges included.
double cycles_of_product(const ProductSizes& sizes, const ProductTile& tile, RightOperand right,
                         const target::Target& target) {
  double cycles = 0;
  const std::int64_t last = ceil_div(sizes.n % tile.columns(), tile.lanes), bottom = sizes.m % tile.rows;
  for (const auto& [rows, down] :
       {std::pair{tile.rows, sizes.m / tile.rows}, std::pair{bottom, std::int64_t{1}}})
    for (const auto& [vectors, across] :
         {std::pair{tile.vectors, sizes.n / tile.columns()}, std::pair{last, std::int64_t{1}}})
      if (rows > 0 && vectors > 0)
        cycles += static_cast<double>(down * across) *
                  cycles_of_tile(rows, vectors, tile.lanes, sizes.k, right, target);
  return cycles;
}

std::int64_t tiles_of_part(std::int64_t length, std::int64_t of_tile, std::int64_t parts) {
  return ceil_div(ceil_div(length, of_tile), parts);
}

/// What the busiest of the threads has to do: whole tiles, unless it does all.
ProductSizes busiest_part(const ProductSizes& sizes, const ProductTile& tile, const ThreadGrid& grid) {
  ProductSizes part = sizes;
  part.m = std::min(sizes.m, tiles_of_part(sizes.m, tile.rows, grid.rows) * tile.rows);
  part.n = std::min(sizes.n, tiles_of_part(sizes.n, tile.columns(), grid.columns) * tile.columns());
  return part;
}

/// The busiest thread's sums, and the parts of both operands that it reads, which are not its own: others
/// read, and have made, the same.
double cycles_of_busiest(const ProductSizes& sizes, const ProductTile& tile, RightOperand right,
                         const target::Target& target, const ThreadGrid& grid) {
  const ProductSizes part = busiest_part(sizes, tile, grid);
  const double cycles = cycles_of_product(part, tile, right, target);
  if (grid.rows * grid.columns == 1) return cycles;
  const std::int64_t element_bytes = target.vector_bits / 8 / tile.lanes;
  const auto bytes = static_cast<double>((part.m + part.n) * part.k * element_bytes);
  return cycles + bytes / common_bytes_a_cycle;
}

ProductTile cheapest_tile(const ProductSizes& sizes, DataType type, const target::Target& target,
                          RightOperand right, int threads, bool may_share_blocks) {
  const std::int64_t lanes = std::max<std::int64_t>(target.vector_bits / type.bits, 1);
  const std::int64_t most_vectors = ceil_div(sizes.n, lanes);
  const std::int64_t spare = multiplies_by_lanes(target) ? registers_of_next_loads : 0;
  ProductTile best{1, 1, lanes};
  double least = -1;
  for (std::int64_t vectors = 1; vectors <= std::min<std::int64_t>(most_vectors, target.vector_registers);
       ++vectors)
    for (std::int64_t rows = 1; rows <= sizes.m; ++rows) {
      const ProductTile tile{rows, vectors, lanes};
      if (limits::registers_of({.rows = rows, .columns = tile.columns(), .type = type}, target) + spare >
          target.vector_registers)
        break;
      const double cycles = cycles_of_busiest(
          sizes, tile, right, target, choose_grid(sizes, tile, target, right, threads, may_share_blocks));
      // Of equal tiles the larger one reads less.
      if (least < 0 || cycles < least || (cycles == least && rows * vectors > best.rows * best.vectors)) {
        best = tile;
        least = cycles;
      }
    }
  return best;
}

/// What one core has of a cache.
std::int64_t cache_bytes(const target::Target& target, int level, std::int64_t otherwise) {
  const target::Cache* cache = target.cache(level);
  return cache != nullptr ? cache->bytes / cache->shared_by_cores : otherwise;
}

std::int64_t line_bytes(const target::Target& target) {
  const target::Cache* first = target.cache(1);
  return first != nullptr && first->line_bytes > 0 ? first->line_bytes : usual_line;
}

/// As many as leave their lines in the first cache.
std::int64_t rows_in_place(const target::Target& target) {
  const std::int64_t lines = cache_bytes(target, 1, usual_first_cache) / line_bytes(target);
  return std::max(static_cast<std::int64_t>(static_cast<double>(lines) * share_of_lines_in_place),
                  least_steps);
}

/// How long the products with a number of the right operand take, of the time in which it comes out of
/// memory.
double products_over_memory(const ProductSizes& sizes, DataType type, const target::Target& target) {
  const std::int64_t lanes = target.vector_bits / type.bits;
  const auto products_a_cycle = static_cast<double>(target.core.multiplications_per_cycle * lanes);
  return static_cast<double>(sizes.m) / products_a_cycle /
         (static_cast<double>(type.bytes()) / common_bytes_a_cycle);
}

/// Whether tiles wait for the right operand, which they read where it lies: a core's part of it, beyond the
/// second cache.
bool waits_for_memory(const ProductSizes& sizes, DataType type, RightOperand right,
                      const target::Target& target) {
  return right == RightOperand::in_place && !multiplies_by_lanes(target) &&
         sizes.k * sizes.n * type.bytes() > second_cache_bytes(target) * target.cores &&
         products_over_memory(sizes, type, target) < 2;
}

/// Of its rows, as many as prefetching follows, or twice as many where the products take longer.
std::int64_t rows_from_memory(const ProductSizes& sizes, DataType type, const target::Target& target) {
  return products_over_memory(sizes, type, target) < 1 ? rows_followed : 2 * rows_followed;
}

/// Of rows so many bytes apart, as many as have places of their own in the second cache.
std::int64_t rows_that_stay(std::int64_t row_bytes, const target::Target& target) {
  const target::Cache* second = target.cache(2);
  if (second == nullptr || !second->ways) return std::numeric_limits<std::int64_t>::max();
  const std::int64_t way = second->bytes / *second->ways;
  return way / std::gcd(way, row_bytes) * *second->ways;
}

}  // namespace

std::int64_t second_cache_bytes(const target::Target& target) {
  return cache_bytes(target, 2, usual_second_cache);
}

/// Of the right operand, that all rows use one after another. The rest of the second cache is for sums and
/// rows on their way. Where both operands are in panels, those of the left one are made again for each block:
/// fewer blocks, in the thread's share of the third cache, save more than near ones do (2048³ on a
/// Neoverse-V1: 66 and 73 GFLOP/s).
std::int64_t bytes_of_block(RightOperand right, const target::Target& target) {
  const std::int64_t near = second_cache_bytes(target) * 3 / 4;
  const target::Cache* third = target.cache(3);
  if (!multiplies_by_lanes(target) || right == RightOperand::in_place || third == nullptr) return near;
  return std::max(near, third->bytes / std::max(target.cores, 1) / 4);
}

ThreadGrid choose_grid(const ProductSizes& sizes, const ProductTile& tile, const target::Target& target,
                       RightOperand right, int threads, bool may_share_blocks) {
  const std::int64_t down = ceil_div(sizes.m, tile.rows), across = ceil_div(sizes.n, tile.columns());
  ThreadGrid best = down >= threads ? ThreadGrid{threads, 1} : ThreadGrid{1, threads};
  if (!may_share_blocks) return best;
  double least = cycles_of_busiest(sizes, tile, right, target, best) / least_gain_of_sharing;
  for (std::int64_t rows = threads - 1; rows > 1; --rows) {
    const ThreadGrid grid{rows, threads / rows};
    if (threads % rows != 0 || rows > down || grid.columns > across) continue;
    const double cycles = cycles_of_busiest(sizes, tile, right, target, grid);
    if (cycles >= least) continue;
    best = grid;
    least = cycles;
  }
  return best;
}

ProductTile choose_tile(const ProductSizes& sizes, DataType type, const target::Target& target,
                        RightOperand right, int threads, bool may_share_blocks) {
  const ProductTile alone = cheapest_tile(sizes, type, target, right, 1, false);
  if (threads == 1) return alone;
  const ProductTile shared = cheapest_tile(sizes, type, target, right, threads, may_share_blocks);
  const auto cycles = [&](const ProductTile& tile) {
    return cycles_of_busiest(sizes, tile, right, target,
                             choose_grid(sizes, tile, target, right, threads, may_share_blocks));
  };
  return cycles(alone) / cycles(shared) >= least_gain_of_sharing ? shared : alone;
}

Blocks choose_blocks(const ProductSizes& sizes, const ProductTile& tile, DataType type, RightOperand right,
                     const target::Target& target, bool whole_sums) {
  const std::int64_t first = cache_bytes(target, 1, usual_first_cache);
  // The left operand's panel counts twice: it must stay while panels of the right one go by.
  const std::int64_t step_bytes = (2 * tile.rows + tile.columns()) * type.bytes();
  // More than the first cache holds: panels stream from the second one fast enough, and a longer sum is
  // stored less often.
  std::int64_t most_steps = std::max<std::int64_t>(first * 15 / 8 / step_bytes, least_steps);
  if (right == RightOperand::in_place && sizes.m <= few_rows)
    most_steps = std::min(most_steps, rows_in_place(target));
  const bool is_far = waits_for_memory(sizes, type, right, target);
  if (is_far) most_steps = std::min(most_steps, rows_from_memory(sizes, type, target));
  Blocks blocks;
  blocks.steps = whole_sums ? sizes.k : equal_parts(sizes.k, most_steps);
  const std::int64_t panel_bytes = blocks.steps * tile.columns() * type.bytes();
  const std::int64_t block_bytes =
      is_far ? static_cast<std::int64_t>(static_cast<double>(first * target.cores) * share_of_block_in_place)
             : bytes_of_block(right, target);
  blocks.columns = equal_parts(ceil_div(sizes.n, tile.columns()), block_bytes / panel_bytes) * tile.columns();
  return blocks;
}

RightOperand choose_right(const ProductSizes& sizes, std::int64_t steps, DataType type,
                          const target::Target& target) {
  const std::int64_t row = sizes.n * type.bytes(), vector = target.vector_bits / 8, line = line_bytes(target);
  const bool by_lanes = multiplies_by_lanes(target);
  const std::int64_t stays =
      by_lanes ? cache_bytes(target, 1, usual_first_cache) / 2 : second_cache_bytes(target) / 8;
  const bool in_two_lines = row % line != 0 && 2 * vector >= line,
             in_pages = by_lanes && row >= target.core.page_bytes;
  std::int64_t least_rows = by_lanes ? rows_over_parts_of_lines : rows_over_whole_lines;
  if (in_two_lines || in_pages || steps > rows_that_stay(row, target))
    least_rows = by_lanes ? few_rows_by_lanes : few_rows;
  const bool pays = sizes.k * row >= stays && sizes.m >= least_rows;
  return pays ? RightOperand::in_panels : RightOperand::in_place;
}

bool multiplies_by_lanes(const target::Target& target) { return target.arch == target::Arch::aarch64; }

std::int64_t steps_ahead(const ProductTile& tile, const target::Target& target) {
  return static_cast<std::int64_t>(std::ceil(cycles_ahead * target.core.multiplications_per_cycle /
                                             static_cast<double>(tile.rows * tile.vectors)));
}

}  // namespace ardea::rules
