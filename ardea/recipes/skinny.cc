#include "ardea/recipes/skinny.h"

#include <algorithm>

#include "ardea/recipes/threads.h"
#include "ardea/rules/cpu/lane_sums.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/reduce/decompose_reduction.h"
#include "ardea/support/ceil_div.h"

namespace ardea::recipes {

using namespace schedule;

namespace {

/// Rows of B that are added at once: so many streams out of memory, and so rarely C is loaded and stored.
constexpr std::int64_t rows_of_b_at_once = 8;
/// Beyond, packed panels are worth their time.
constexpr std::int64_t few = 8;

bool is_plain_product(const ops::Workload& workload, const target::Target& target) {
  return workload.op == "gemm" && target.kind == target::Kind::cpu && target.vector_bits >= 128 &&
         target.cache(1) != nullptr && is_summed(workload.acc) && workload.out == workload.acc;
}

std::int64_t accumulator_lanes(const ops::Workload& workload, const target::Target& target) {
  return target.vector_bits / workload.acc.bits;
}

/// Columns of C of which all rows stay in the nearest cache, beside what streams through it.
std::int64_t columns_at_once(const ops::Workload& workload, const target::Target& target) {
  const std::int64_t lanes = accumulator_lanes(workload, target);
  std::int64_t columns = ops::size(workload, "n");
  if (worth_threads(workload, target)) columns = (columns + target.cores - 1) / target.cores;
  const std::int64_t row_bytes = ops::size(workload, "m") * workload.acc.bytes();
  const std::int64_t fitting = target.cache(1)->bytes / 2 / row_bytes / lanes * lanes;
  return std::max(lanes, std::min(fitting, round_up(columns, lanes)));
}

}  // namespace

bool serves_skinny(const ops::Workload& workload, const target::Target& target) {
  return is_plain_product(workload, target) && !workload.transpose_b && ops::size(workload, "m") <= few &&
         ops::size(workload, "n") >= accumulator_lanes(workload, target);
}

void schedule_skinny(Schedule& s, const ops::Workload& workload, const target::Target& target) {
  const std::int64_t lanes = accumulator_lanes(workload, target), columns = columns_at_once(workload, target);
  const BlockRef c = s.get_block("C");
  const auto loops = s.get_loops(c);
  const auto j = s.loops(Split{loops[1], {std::nullopt, columns / lanes, lanes}});
  const auto k = s.loops(Split{loops[2], {std::nullopt, rows_of_b_at_once}});
  s.apply(Reorder{{j[0], k[0], j[1], loops[0], k[1], j[2]}});
  s.apply(Unroll{loops[0]});
  s.apply(Unroll{k[1]});
  s.apply(Vectorize{j[2]});
  s.apply(DecomposeReduction{c, k[0]});
  if (worth_threads(workload, target)) s.apply(Parallel{j[0]});
}

bool serves_dots(const ops::Workload& workload, const target::Target& target) {
  return is_plain_product(workload, target) &&
         (ops::size(workload, "n") == 1 || (workload.transpose_b && ops::size(workload, "m") <= few));
}

void schedule_dots(Schedule& s, const ops::Workload& workload, const target::Target& target) {
  const std::int64_t m = ops::size(workload, "m"), n = ops::size(workload, "n");
  const BlockRef c = s.get_block("C");
  const auto loops = s.get_loops(c);
  // The rows that are many come one tile after the other, and meet all of the others.
  const bool many_rows = n == 1;
  const std::int64_t many = many_rows ? m : n, others = many_rows ? n : m;
  const LaneSum sum = lane_sum_for({.rows = many, .others = others, .extent = ops::size(workload, "k")},
                                   workload.acc.bits, target);
  const auto tiles = s.loops(Split{loops[many_rows ? 0 : 1], {std::nullopt, sum.rows}});
  s.apply(Reorder{{tiles[0], loops[many_rows ? 1 : 0], tiles[1]}});
  reduce_in_lanes(s, c, 1, sum);
  if (worth_threads(workload, target)) s.apply(Parallel{tiles[0]});
}

}  // namespace ardea::recipes
