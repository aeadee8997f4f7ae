#include <fmt/core.h>

#include <algorithm>

#include "ardea/intrin/product_shape.h"
#include "ardea/rules/cpu/tensorized_product.h"
#include "ardea/rules/model/candidates.h"
#include "ardea/rules/model/panels.h"
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

namespace ardea::rules {

using namespace schedule;

namespace {

constexpr const char* signed_instruction = "avx512.vpdpbusd_broadcast_signed";

std::string vnni_instruction(const MatrixProduct& product, const target::Target& target) {
  const DataType a = product.left->type, b = product.right->type;
  if (!target.has("avx512vnni") || product.out->type != int32) return "";
  if (a == uint8 && b == int8) return "avx512.vpdpbusd_broadcast_u8";
  if (a == int8 && b == uint8) return "avx512.vpdpbusd_broadcast_i8";
  return a == int8 && b == int8 ? signed_instruction : "";
}

double vnni_cycles(const MatrixProduct& product, const std::string& instruction,
                   const target::Target& target) {
  const intrin::ProductShape shape = intrin::product_shape(instruction);
  const double operations = instruction == signed_instruction ? 2 : 1;  // what is too much is taken off
  return operations * static_cast<double>(product.sizes.m) *
         static_cast<double>(ceil_div(product.sizes.n, shape.columns)) *
         static_cast<double>(ceil_div(product.sizes.k, shape.depth)) / target.core.multiplications_per_cycle;
}

/// Rows times vectors of columns.
struct VectorTile {
  std::int64_t rows = 1, vectors = 1;
};

/// Wider tiles have fewer rows to use a vector of B for.
constexpr std::int64_t most_vectors_of_a_row = 2;

/// Beside the sums the registers hold one row of B and one broadcast of A; where both are signed, also what
/// is to be taken off for each vector, and the offset. As many rows as fit: B streams from the second cache,
/// and each of its vectors is used once a row.
VectorTile vector_tile_for(const ProductSizes& sizes, std::int64_t lanes, bool is_signed,
                           const target::Target& target) {
  VectorTile tile;
  tile.vectors = std::min(most_vectors_of_a_row, ceil_div(sizes.n, lanes));
  const std::int64_t others = (1 + tile.vectors) * (is_signed ? 2 : 1);
  tile.rows = even_part(sizes.m, (target.vector_registers - others) / tile.vectors);
  return tile;
}

void apply_vnni(Derivation& d, const ConvertedProduct& given, const std::string& instruction) {
  Schedule& s = d.steps();
  const target::Target& target = d.target();
  const ProductSizes& sizes = given.product.sizes;
  const bool transposed = given.product.transposed;
  const intrin::ProductShape shape = intrin::product_shape(instruction);
  const std::int64_t lanes = shape.columns, group = shape.depth;
  const VectorTile by_model = vector_tile_for(sizes, lanes, instruction == signed_instruction, target);
  const std::int64_t columns_by_model = by_model.vectors * lanes;
  const std::int64_t panel = panel_columns(target, sizes.n, round_up(sizes.k, group), columns_by_model);

  const TileRows tile =
      choose_tile_rows(d, given, sizes.m, {tile_sizes(sizes.m, target.vector_registers), by_model.rows});
  const Number rows = d.number("rows", tile.sizes, tile.model);
  const PaddedProduct product =
      padded_product(d, given, {1, lanes, group}, tile.is_padded ? std::optional(rows) : std::nullopt);
  const BlockRef c = product.sums;
  if (product.last) s.apply(SetScope{c, 0, "register"});
  const BlockRef last = product.last ? *product.last : s.blocks(CacheWrite{c, 0, "register"})[0];

  const std::int64_t vectors_of_row = ceil_div(sizes.n, lanes);
  const Number vectors =
      d.number("vectors", tile_sizes(vectors_of_row, target.vector_registers), by_model.vectors);
  const Number tiles_of_panel = d.number(
      "panel_tiles",
      group_sizes(vectors_of_row, tile_sizes(vectors_of_row, target.vector_registers), by_model.vectors),
      panel / columns_by_model);
  const Number columns = d.follows(value_of(vectors) * lanes);
  d.keep_to((value_of(tiles_of_panel) - 1) * value_of(vectors) < make_int(vectors_of_row), "panels",
            fmt::format("a panel holds no more tiles than {} vectors make", vectors_of_row));

  const auto loops = s.get_loops(c);
  const auto i = in_row_tiles(d, loops[0], sizes.m, {rows}, tile.is_padded);
  const auto j = s.loops(Split{loops[1], {std::nullopt, tiles_of_panel, vectors, lanes}});
  const auto k = s.loops(Split{loops[2], {std::nullopt, group}});
  s.apply(Reorder{{j[0], i[0], j[1], k[0], i[1], j[2], j[3], k[1]}});
  s.apply(ReverseComputeAt{last, j[1], true});
  if (!d.packs_weights_ahead()) s.apply(ComputeAt{product.b, j[0], true});
  s.apply(ComputeAt{*product.a, i[0], true});
  s.apply(TransformLayout{
      c,
      {"read", 0},
      IndexText(fmt::format("lambda m, k: (m // r, k // {0}, m % r, k % {0})", group), {{"r", rows}})});
  s.apply(TransformLayout{
      c,
      {"read", 1},
      IndexText(layout_of_b(transposed, fmt::format("n // c, k // {0}, n % c, k % {0}", group)),
                {{"c", columns}})});

  const BlockRef first = s.blocks(DecomposeReduction{c, k[0]})[0];
  const auto start = s.get_loops(first);
  write_out(s, {start.end() - 3, start.end()});
  s.apply(Tensorize{j[3], instruction, false});
  s.apply(Unroll{i[1]});
  s.apply(Unroll{j[2]});
  const auto out = s.get_loops(last);
  const auto out_columns = s.loops(Split{out.back(), {std::nullopt, lanes}});
  write_out(s, {out[out.size() - 2], out_columns[0], out_columns[1]});

  const auto a = s.get_loops(*product.a);
  const auto a_k = s.loops(Split{a.back(), {std::nullopt, group}});
  s.apply(Reorder{{a_k[0], a[a.size() - 2], a_k[1]}});
  s.apply(Vectorize{a_k[1]});
  const auto copy_of_b = tile_copy_of_b(s, transposed, product.b, {group, lanes, group});
  vectorize_tiles(s, copy_of_b);
  share_among_threads(d, product, i[0], copy_of_b);
}

}  // namespace

ProductUnit vnni_unit() { return {vnni_instruction, vnni_cycles, apply_vnni}; }

}  // namespace ardea::rules
