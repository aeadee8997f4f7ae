#include "ardea/recipes/amx_gemm.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/intrin/instruction.h"
#include "ardea/intrin/product_shape.h"
#include "ardea/intrin/tile_registers.h"
#include "ardea/recipes/padded_product.h"
#include "ardea/recipes/vnni_gemm.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/cache_read.h"
#include "ardea/schedule/primitives/memory/cache_write.h"
#include "ardea/schedule/primitives/memory/transform_layout.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/place/reverse_compute_at.h"
#include "ardea/schedule/primitives/reduce/decompose_reduction.h"
#include "ardea/schedule/primitives/tensor/tensorize.h"
#include "ardea/support/ceil_div.h"

namespace ardea::recipes {

using namespace schedule;

namespace {

/// What the instructions for the operands' types are called.
struct Names {
  std::string product, a, b, sum;
};

Names names_for(const ops::Workload& w) {
  if (w.in[0] == bfloat16) return {"amx.tdpbf16ps", "bf16", "bf16", "f32"};
  const auto letter = [](DataType type) { return type == uint8 ? "u" : "s"; };
  const auto suffix = [](DataType type) { return type == uint8 ? "u8" : "i8"; };
  return {fmt::format("amx.tdpb{}{}d", letter(w.in[0]), letter(w.in[1])), suffix(w.in[0]), suffix(w.in[1]),
          "i32"};
}

bool is_byte(DataType type) { return type == int8 || type == uint8; }

bool has_instructions(const ops::Workload& w, const target::Target& target) {
  if (!target.has("amx-tile")) return false;
  if (w.in[0] == bfloat16 && w.in[1] == bfloat16) return target.has("amx-bf16") && w.acc == float32;
  return target.has("amx-int8") && is_byte(w.in[0]) && is_byte(w.in[1]) && w.acc == int32;
}

double amx_cycles(const ops::Workload& w) {
  const ProductSizes sizes = sizes_of(w);
  const std::string instruction = names_for(w).product;
  const intrin::ProductShape shape = intrin::product_shape(instruction);
  return static_cast<double>(ceil_div(sizes.m, shape.rows)) *
         static_cast<double>(ceil_div(sizes.n, shape.columns)) *
         static_cast<double>(ceil_div(sizes.k, shape.depth)) * intrin::find_instruction(instruction).cycles;
}

/// Tiles of sums: of the registers the operands take one a row and one a column.
struct Tiles {
  std::int64_t down = 2, across = 2;
};

/// Two rows of tiles, where there are so many, make the squarest tile that the registers hold.
Tiles tiles_for(const ProductSizes& sizes, const intrin::ProductShape& shape) {
  Tiles tiles;
  tiles.down = std::min<std::int64_t>(2, ceil_div(sizes.m, shape.rows));
  tiles.across =
      std::min((intrin::tile_registers - tiles.down) / (tiles.down + 1), ceil_div(sizes.n, shape.columns));
  return tiles;
}

/// B streams past the rows of A: where both do not fit, it leaves the first cache to them.
std::string load_of_b(const target::Target& target, std::int64_t bytes_of_both) {
  const target::Cache* first = target.cache(1);
  return first != nullptr && bytes_of_both > first->bytes ? "amx.tileloaddt1_" : "amx.tileloadd_";
}

/// The last two loops of the block in tiles; the loops over whole ones are written out, the inside is the
/// instruction.
void tensorize_tiles(Schedule& s, const BlockRef& block, std::int64_t height, std::int64_t width,
                     const std::string& instruction) {
  const auto loops = s.get_loops(block);
  const auto i = s.loops(Split{loops[loops.size() - 2], {std::nullopt, height}});
  const auto j = s.loops(Split{loops.back(), {std::nullopt, width}});
  s.apply(Reorder{{i[0], j[0], i[1], j[1]}});
  s.apply(Tensorize{i[1], instruction, false});
  s.apply(Unroll{i[0]});
  s.apply(Unroll{j[0]});
}

}  // namespace

bool serves_amx_gemm(const ops::Workload& workload, const target::Target& target) {
  if (workload.op != "gemm" || !has_instructions(workload, target)) return false;
  return !serves_vnni_gemm(workload, target) || amx_cycles(workload) < vnni_cycles(workload, target);
}

void schedule_amx_gemm(Schedule& s, const ops::Workload& workload, const target::Target& target,
                       Packing packing) {
  const ProductSizes sizes = sizes_of(workload);
  const Names names = names_for(workload);
  const intrin::ProductShape shape = intrin::product_shape(names.product);
  const auto [down, across] = tiles_for(sizes, shape);
  // A tile of sums is square.
  const std::int64_t rows = shape.rows, depth = shape.depth, group = shape.group;
  const PaddedProduct product = padded_product(s, workload, {rows, rows, depth});
  const BlockRef c = product.sums;
  const BlockRef tile_a = s.blocks(CacheRead{c, 0, "amx.tile"})[0];
  const BlockRef tile_b = s.blocks(CacheRead{c, 1, "amx.tile"})[0];
  const BlockRef stored = s.blocks(CacheWrite{c, 0, "amx.tile"})[0];

  const std::int64_t column_bytes = round_up(sizes.k, depth) * workload.in[1].bytes(),
                     columns = across * rows;
  const std::int64_t panel = panel_columns(target, sizes.n, column_bytes, columns);
  const auto loops = s.get_loops(c);
  const auto i = s.loops(Split{loops[0], {std::nullopt, down, rows}});
  const auto j = s.loops(Split{loops[1], {std::nullopt, panel / columns, across, rows}});
  const auto k = s.loops(Split{loops[2], {std::nullopt, depth / group, group}});
  s.apply(Reorder{{j[0], i[0], j[1], k[0], i[1], j[2], i[2], j[3], k[1], k[2]}});
  s.apply(ReverseComputeAt{stored, j[1], true});
  if (product.last) s.apply(ReverseComputeAt{*product.last, j[1], true});
  s.apply(ComputeAt{tile_a, k[0], true});
  s.apply(ComputeAt{tile_b, k[0], true});
  if (packing == Packing::in_nest) s.apply(ComputeAt{product.b, j[0], true});
  s.apply(ComputeAt{product.a, i[0], true});

  const std::string in_a = fmt::format("lambda m, k: (m // {0}, k // {1}, m % {0}, k % {1})", rows, depth);
  const std::string in_b = layout_of_b(
      workload, fmt::format("n // {0}, k // {1}, k % {1} // {2}, n % {0}, k % {2}", rows, depth, group));
  for (const char* side : {"read", "write"}) {
    s.apply(TransformLayout{tile_a, {side, 0}, in_a});
    s.apply(TransformLayout{tile_b, {side, 0}, in_b});
  }
  s.apply(TransformLayout{
      c, {"write", 0}, fmt::format("lambda m, n: (m // {0}, n // {0}, m % {0}, n % {0})", rows)});

  const BlockRef zero = s.blocks(DecomposeReduction{c, k[0]})[0];
  const auto start = s.get_loops(zero);
  s.apply(Tensorize{start[start.size() - 2], "amx.tilezero_" + names.sum, false});
  s.apply(Unroll{start[start.size() - 4]});
  s.apply(Unroll{start[start.size() - 3]});
  tensorize_tiles(s, tile_a, rows, depth, "amx.tileloadd_" + names.a);
  const auto b = tile_copy_of_b(s, workload, tile_b, depth, rows, group);
  s.apply(Tensorize{b[2], load_of_b(target, (down + across) * rows * column_bytes) + names.b, false});
  s.apply(Unroll{b[0]});
  s.apply(Unroll{b[1]});
  s.apply(Tensorize{i[2], names.product, false});
  s.apply(Unroll{i[1]});
  s.apply(Unroll{j[2]});
  tensorize_tiles(s, stored, rows, rows, "amx.tilestored_" + names.sum);

  if (product.last) {
    const auto out = s.get_loops(*product.last);
    s.apply(Vectorize{s.loops(Split{out.back(), {std::nullopt, rows}})[1]});
  }
  const auto a = s.get_loops(product.a);
  const auto a_m = s.loops(Split{a[a.size() - 2], {std::nullopt, rows}});
  const auto a_k = s.loops(Split{a.back(), {std::nullopt, depth}});
  s.apply(Reorder{{a_m[0], a_k[0], a_m[1], a_k[1]}});
  s.apply(Vectorize{a_k[1]});
  const auto copy_of_b = tile_copy_of_b(s, workload, product.b, depth, rows, group);
  vectorize_tiles(s, copy_of_b);
  share_among_threads(s, workload, target, i[0], copy_of_b);
}

}  // namespace ardea::recipes
