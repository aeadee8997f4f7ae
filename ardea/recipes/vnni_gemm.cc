#include "ardea/recipes/vnni_gemm.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/intrin/product_shape.h"
#include "ardea/recipes/padded_product.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/cache_write.h"
#include "ardea/schedule/primitives/memory/set_scope.h"
#include "ardea/schedule/primitives/memory/transform_layout.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/place/reverse_compute_at.h"
#include "ardea/schedule/primitives/reduce/decompose_reduction.h"
#include "ardea/schedule/primitives/tensor/tensorize.h"
#include "ardea/support/ceil_div.h"

namespace ardea::recipes {

using namespace schedule;

namespace {

bool has_unsigned_and_signed(const ops::Workload& w) {
  return (w.in[0] == uint8 && w.in[1] == int8) || (w.in[0] == int8 && w.in[1] == uint8);
}

const char* instruction_for(const ops::Workload& w) {
  return w.in[0] == uint8 ? "avx512.vpdpbusd_broadcast_u8" : "avx512.vpdpbusd_broadcast_i8";
}

/// Rows times vectors of columns.
struct VectorTile {
  std::int64_t rows = 1, vectors = 1;
};

/// Wider tiles have fewer rows to use a vector of B for.
constexpr std::int64_t most_vectors_of_a_row = 2;

/// Beside the sums the registers hold one row of B and one broadcast of A. As many rows as fit: B streams
/// from the second cache, and each of its vectors is used once a row.
VectorTile vector_tile_for(const ProductSizes& sizes, std::int64_t lanes, const target::Target& target) {
  VectorTile tile;
  tile.vectors = std::min(most_vectors_of_a_row, ceil_div(sizes.n, lanes));
  tile.rows = even_part(sizes.m, (target.vector_registers - 1 - tile.vectors) / tile.vectors);
  return tile;
}

void place_in_registers(Schedule& s, const std::vector<LoopRef>& tile) {
  for (std::size_t i = 0; i + 1 < tile.size(); ++i) s.apply(Unroll{tile[i]});
  s.apply(Vectorize{tile.back()});
}

}  // namespace

bool serves_vnni_gemm(const ops::Workload& workload, const target::Target& target) {
  return workload.op == "gemm" && target.has("avx512vnni") && has_unsigned_and_signed(workload) &&
         workload.acc == int32;
}

double vnni_cycles(const ops::Workload& workload, const target::Target& target) {
  const ProductSizes sizes = sizes_of(workload);
  const intrin::ProductShape shape = intrin::product_shape(instruction_for(workload));
  return static_cast<double>(sizes.m) * static_cast<double>(ceil_div(sizes.n, shape.columns)) *
         static_cast<double>(ceil_div(sizes.k, shape.depth)) / target.core.multiplications_per_cycle;
}

void schedule_vnni_gemm(Schedule& s, const ops::Workload& workload, const target::Target& target,
                        Packing packing) {
  const ProductSizes sizes = sizes_of(workload);
  const intrin::ProductShape shape = intrin::product_shape(instruction_for(workload));
  const std::int64_t lanes = shape.columns, group = shape.depth;
  const auto [rows, vectors] = vector_tile_for(sizes, lanes, target);
  const std::int64_t columns = vectors * lanes;
  const PaddedProduct product = padded_product(s, workload, {1, lanes, group});
  const BlockRef c = product.sums;
  if (product.last) s.apply(SetScope{c, 0, "register"});
  const BlockRef last = product.last ? *product.last : s.blocks(CacheWrite{c, 0, "register"})[0];

  const std::int64_t panel = panel_columns(target, sizes.n, round_up(sizes.k, group), columns);
  const auto loops = s.get_loops(c);
  const auto i = s.loops(Split{loops[0], {std::nullopt, rows}});
  const auto j = s.loops(Split{loops[1], {std::nullopt, panel / columns, vectors, lanes}});
  const auto k = s.loops(Split{loops[2], {std::nullopt, group}});
  s.apply(Reorder{{j[0], i[0], j[1], k[0], i[1], j[2], j[3], k[1]}});
  s.apply(ReverseComputeAt{last, j[1], true});
  if (packing == Packing::in_nest) s.apply(ComputeAt{product.b, j[0], true});
  s.apply(ComputeAt{product.a, i[0], true});
  s.apply(TransformLayout{
      c, {"read", 0}, fmt::format("lambda m, k: (m // {0}, k // {1}, m % {0}, k % {1})", rows, group)});
  s.apply(TransformLayout{
      c,
      {"read", 1},
      layout_of_b(workload, fmt::format("n // {0}, k // {1}, n % {0}, k % {1}", columns, group))});

  const BlockRef first = s.blocks(DecomposeReduction{c, k[0]})[0];
  const auto start = s.get_loops(first);
  place_in_registers(s, {start.end() - 3, start.end()});
  s.apply(Tensorize{j[3], instruction_for(workload), false});
  s.apply(Unroll{i[1]});
  s.apply(Unroll{j[2]});
  const auto out = s.get_loops(last);
  const auto out_columns = s.loops(Split{out.back(), {std::nullopt, lanes}});
  place_in_registers(s, {out[out.size() - 2], out_columns[0], out_columns[1]});

  const auto a = s.get_loops(product.a);
  const auto a_k = s.loops(Split{a.back(), {std::nullopt, group}});
  s.apply(Reorder{{a_k[0], a[a.size() - 2], a_k[1]}});
  s.apply(Vectorize{a_k[1]});
  const auto copy_of_b = tile_copy_of_b(s, workload, product.b, group, lanes, group);
  vectorize_tiles(s, copy_of_b);
  share_among_threads(s, workload, target, i[0], copy_of_b);
}

}  // namespace ardea::recipes
