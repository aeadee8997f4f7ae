#include "ardea/recipes/gemm.h"

#include <fmt/core.h>

#include "ardea/schedule/cache_write.h"
#include "ardea/schedule/decompose_reduction.h"
#include "ardea/schedule/mark.h"
#include "ardea/schedule/reorder.h"
#include "ardea/schedule/reverse_compute_at.h"
#include "ardea/schedule/split.h"
#include "ardea/schedule/transform_layout.h"

namespace ardea::recipes {

using namespace schedule;

namespace {

struct Tile {
  std::int64_t rows = 1, columns = 1;
};

Tile tile_for(const target::Target& target) {
  return {target.vector_registers / 2 - 2, 2 * target.vector_bits / 32};
}

}  // namespace

bool serves_gemm(const ops::Workload& workload, const target::Target& target) {
  const auto [rows, columns] = tile_for(target);
  return workload.op == "gemm" && !workload.transpose_b && target.kind == target::Kind::cpu &&
         target.vector_bits >= 128 && workload.in[0] == float32 && workload.in[1] == workload.in[0] &&
         workload.acc == workload.in[0] && workload.out == workload.in[0] && ops::size(workload, "k") > 1 &&
         ops::size(workload, "m") > rows && ops::size(workload, "n") > columns;
}

void schedule_gemm(Schedule& s, const ops::Workload&, const target::Target& target) {
  const auto [rows, columns] = tile_for(target);
  const BlockRef c = s.get_block("C");
  const BlockRef a =
      s.blocks(TransformLayout{c, {"A"}, fmt::format("lambda i, k: (i // {0}, k, i % {0})", rows), 0.0})[0];
  const BlockRef b = s.blocks(
      TransformLayout{c, {"B"}, fmt::format("lambda k, j: (j // {0}, k, j % {0})", columns), 0.0})[0];
  const BlockRef out = s.blocks(CacheWrite{c, 0, "register"})[0];
  const auto loops = s.get_loops(c);
  const auto i = s.loops(Split{loops[0], {std::nullopt, rows}});
  const auto j = s.loops(Split{loops[1], {std::nullopt, columns}});
  s.apply(Reorder{{j[0], i[0], loops[2], i[1], j[1]}});
  s.apply(ReverseComputeAt{out, i[0]});
  const BlockRef first = s.blocks(DecomposeReduction{c, loops[2]})[0];
  for (const BlockRef& block : {c, first, out}) {
    const auto inner = s.get_loops(block);
    s.apply(Unroll{inner[inner.size() - 2]});
    s.apply(Vectorize{inner.back()});
  }
  s.apply(Vectorize{s.get_loops(b).back()});
  const auto packing = s.get_loops(a);
  s.apply(Reorder{{packing[2], packing[1]}});
}

}  // namespace ardea::recipes
