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
#include "ardea/schedule/primitives/tensor/blockize.h"
#include "ardea/schedule/primitives/tensor/tensorize.h"
#include "ardea/support/ceil_div.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// Vectors of B that are loaded before they are used.
constexpr std::int64_t vectors_loaded_early = 3;

std::string mmla_instruction(const MatrixProduct& product, const target::Target& target) {
  if (target.arch != target::Arch::aarch64) return "";
  const DataType sum = product.out->type;
  const auto are = [&](DataType a, DataType b) {
    return product.left->type == a && product.right->type == b;
  };
  if (are(bfloat16, bfloat16)) return target.has("bf16") && sum == float32 ? "neon.bfmmla" : "";
  if (!target.has("i8mm") || sum != int32) return "";
  if (are(int8, int8)) return "neon.smmla";
  if (are(uint8, uint8)) return "neon.ummla";
  return are(uint8, int8) ? "neon.usmmla" : "";
}

double mmla_cycles(const MatrixProduct& product, const std::string& instruction,
                   const target::Target& target) {
  const intrin::ProductShape shape = intrin::product_shape(instruction);
  return static_cast<double>(ceil_div(product.sizes.m, shape.rows)) *
         static_cast<double>(ceil_div(product.sizes.n, shape.columns)) *
         static_cast<double>(ceil_div(product.sizes.k, shape.depth)) / target.core.multiplications_per_cycle;
}

/// Pairs of rows times pairs of columns.
struct PairTile {
  std::int64_t down = 1, across = 1;
};

/// Of the tiles that registers hold beside the rows of A and a few of B, the one with the most instructions a
/// load.
PairTile pair_tile_for(const ProductSizes& sizes, std::int64_t pair, const target::Target& target) {
  const std::int64_t most_down = ceil_div(sizes.m, pair), most_across = ceil_div(sizes.n, pair);
  PairTile best;
  for (std::int64_t down = 1; down <= most_down; ++down) {
    const std::int64_t across =
        std::min(most_across, (target.vector_registers - vectors_loaded_early - down) / down);
    if (across < 1) break;
    if (down * across * (best.down + best.across) > best.down * best.across * (down + across))
      best = {down, across};
  }
  best.down = even_part(most_down, best.down);
  return best;
}

void apply_mmla(Derivation& d, const ConvertedProduct& given, const std::string& instruction) {
  Schedule& s = d.steps();
  const target::Target& target = d.target();
  const ProductSizes& sizes = given.product.sizes;
  const bool transposed = given.product.transposed;
  const intrin::ProductShape shape = intrin::product_shape(instruction);
  const std::int64_t pair = shape.rows, depth = shape.depth;  // as many rows of B
  const PairTile by_model = pair_tile_for(sizes, pair, target);
  const std::int64_t columns_by_model = by_model.across * pair;
  const std::int64_t column_bytes = round_up(sizes.k, depth) * given.product.right->type.bytes();
  const std::int64_t panel = panel_columns(target, sizes.n, column_bytes, columns_by_model);

  const std::int64_t pairs_down = ceil_div(sizes.m, pair), pairs_across = ceil_div(sizes.n, pair);
  const TileRows tile = choose_tile_rows(d, given, pairs_down,
                                         {tile_sizes(pairs_down, target.vector_registers), by_model.down});
  const Number down = d.number("row_pairs", tile.sizes, tile.model);
  const Number rows = d.follows(value_of(down) * pair);
  const PaddedProduct product =
      padded_product(d, given, {pair, pair, depth}, tile.is_padded ? std::optional(rows) : std::nullopt);
  const BlockRef c = product.sums;
  // Pairs of a row leave the registers together. What converts them first is given whole rows.
  const bool converts = given.converter.has_value(), is_result = product.last && !converts;
  if (is_result) s.apply(SetScope{c, 0, "register"});
  const BlockRef stored = is_result ? *product.last : s.blocks(CacheWrite{c, 0, "register"})[0];

  const Number across =
      d.number("column_pairs", tile_sizes(pairs_across, target.vector_registers), by_model.across);
  const Number tiles_of_panel =
      d.number("panel_tiles",
               group_sizes(pairs_across, tile_sizes(pairs_across, target.vector_registers), by_model.across),
               panel / columns_by_model);
  d.keep_to((value_of(tiles_of_panel) - 1) * value_of(across) < make_int(pairs_across), "panels",
            fmt::format("a panel holds no more tiles than {} pairs of columns make", pairs_across));
  const Number columns = d.follows(value_of(across) * pair);

  const auto loops = s.get_loops(c);
  const auto i = in_row_tiles(d, loops[0], sizes.m, {down, pair}, tile.is_padded);
  const auto j = s.loops(Split{loops[1], {std::nullopt, tiles_of_panel, across, pair}});
  const auto k = s.loops(Split{loops[2], {std::nullopt, depth}});
  s.apply(Reorder{{j[0], i[0], j[1], k[0], i[1], j[2], i[2], j[3], k[1]}});
  s.apply(ReverseComputeAt{stored, j[1], true});
  if (converts) s.apply(ReverseComputeAt{*product.last, j[1], true});
  if (!d.packs_weights_ahead()) s.apply(ComputeAt{product.b, j[0], true});
  s.apply(ComputeAt{*product.a, i[0], true});
  s.apply(TransformLayout{
      c,
      {"read", 0},
      IndexText(fmt::format("lambda m, k: (m // r, k // {0}, m % r, k % {0})", depth), {{"r", rows}})});
  s.apply(TransformLayout{
      c,
      {"read", 1},
      IndexText(layout_of_b(transposed, fmt::format("n // c, k // {0}, n % c, k % {0}", depth)),
                {{"c", columns}})});
  s.apply(TransformLayout{
      c, {"write", 0}, fmt::format("lambda m, n: (m // {0}, n // {0}, m % {0} * {0} + n % {0})", pair)});

  const BlockRef zero = s.blocks(DecomposeReduction{c, k[0]})[0];
  const auto start = s.get_loops(zero);
  // A condition on pairs, not on their elements: then it is that of the instructions.
  s.apply(Blockize{start[start.size() - 2], false});
  write_out(s, {start.end() - 4, start.end()});
  const auto out = s.get_loops(stored);
  const auto out_n = s.loops(Split{out.back(), {std::nullopt, pair}});
  write_out(s, {out[out.size() - 2], out_n[0], out_n[1]});
  if (converts)
    s.apply(Vectorize{s.loops(Split{s.get_loops(*product.last).back(),
                                    {std::nullopt, target.vector_bits / given.product.out->type.bits}})[1]});
  s.apply(Tensorize{i[2], instruction, false});
  s.apply(Unroll{i[1]});
  s.apply(Unroll{j[2]});

  const auto a = s.get_loops(*product.a);
  const auto a_k = s.loops(Split{a.back(), {std::nullopt, depth}});
  s.apply(Reorder{{a_k[0], a[a.size() - 2], a_k[1]}});
  s.apply(Vectorize{a_k[1]});
  const auto copy_of_b = tile_copy_of_b(s, transposed, product.b, {depth, columns, depth});
  share_among_threads(d, product, i[0], copy_of_b);
}

}  // namespace

ProductUnit mmla_unit() { return {mmla_instruction, mmla_cycles, apply_mmla}; }

}  // namespace ardea::rules
