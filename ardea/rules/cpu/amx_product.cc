#include <fmt/core.h>

#include <algorithm>

#include "ardea/intrin/instruction.h"
#include "ardea/intrin/product_shape.h"
#include "ardea/intrin/tile_registers.h"
#include "ardea/rules/analysis/producers.h"
#include "ardea/rules/cpu/tensorized_product.h"
#include "ardea/rules/model/candidates.h"
#include "ardea/rules/model/panels.h"
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

namespace ardea::rules {

using namespace schedule;

namespace {

bool is_byte(DataType type) { return type == int8 || type == uint8; }

std::string amx_instruction(const MatrixProduct& product, const target::Target& target) {
  const DataType a = product.left->type, b = product.right->type, sum = product.out->type;
  if (!target.has("amx-tile")) return "";
  if (a == bfloat16 && b == bfloat16) return target.has("amx-bf16") && sum == float32 ? "amx.tdpbf16ps" : "";
  if (!target.has("amx-int8") || !is_byte(a) || !is_byte(b) || sum != int32) return "";
  const auto letter = [](DataType type) { return type == uint8 ? "u" : "s"; };
  return fmt::format("amx.tdpb{}{}d", letter(a), letter(b));
}

/// What loads and stores of the type are called after.
std::string suffix_of(DataType type) {
  if (type == bfloat16) return "bf16";
  if (type == float32) return "f32";
  return type == int32 ? "i32" : type == uint8 ? "u8" : "i8";
}

double amx_cycles(const MatrixProduct& product, const std::string& instruction, const target::Target&) {
  const intrin::ProductShape shape = intrin::product_shape(instruction);
  return static_cast<double>(ceil_div(product.sizes.m, shape.rows)) *
         static_cast<double>(ceil_div(product.sizes.n, shape.columns)) *
         static_cast<double>(ceil_div(product.sizes.k, shape.depth)) *
         intrin::find_instruction(instruction).cycles;
}

/// Tiles of sums: of the registers the operands take one a row and one a column.
struct TileGrid {
  std::int64_t down = 2, across = 2;
};

/// Two rows of tiles, where there are so many, make the squarest tile that the registers hold.
TileGrid grid_for(const ProductSizes& sizes, const intrin::ProductShape& shape) {
  TileGrid tiles;
  tiles.down = std::min<std::int64_t>(2, ceil_div(sizes.m, shape.rows));
  tiles.across =
      std::min((intrin::tile_registers - tiles.down) / (tiles.down + 1), ceil_div(sizes.n, shape.columns));
  return tiles;
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

/// Tiles are loaded from rows wherever they lie. A in panels is read in one stream, and is a copy that has to
/// be made for each panel of B: it pays where it computes what A is made of. What is no whole tiles is
/// padded, in panels.
LeftOperand choose_left(Derivation& d, const ConvertedProduct& given, const ProductSizes& multiples) {
  if (!is_left_whole(given, multiples)) return LeftOperand::copied;
  const bool is_made = elementwise_producer(d.steps().program(), given.sums, given.product.left).has_value();
  return d.whether("A in panels", is_made) ? LeftOperand::copied : LeftOperand::in_place;
}

/// The copy of A goes tile by tile, by rows of one.
void copy_in_tiles(Schedule& s, const BlockRef& copy, std::int64_t rows, std::int64_t depth) {
  const auto loops = s.get_loops(copy);
  const auto m = s.loops(Split{loops[loops.size() - 2], {std::nullopt, rows}});
  const auto k = s.loops(Split{loops.back(), {std::nullopt, depth}});
  s.apply(Reorder{{m[0], k[0], m[1], k[1]}});
  s.apply(Vectorize{k[1]});
}

void apply_amx(Derivation& d, const ConvertedProduct& given, const std::string& instruction) {
  Schedule& s = d.steps();
  const target::Target& target = d.target();
  const ProductSizes& sizes = given.product.sizes;
  const bool transposed = given.product.transposed;
  const std::string of_a = suffix_of(given.product.left->type), of_b = suffix_of(given.product.right->type),
                    of_sum = suffix_of(given.product.out->type);
  const intrin::ProductShape shape = intrin::product_shape(instruction);
  const TileGrid by_model = grid_for(sizes, shape);
  // A tile of sums is square.
  const std::int64_t rows = shape.rows, depth = shape.depth, group = shape.group;
  const ProductSizes multiples = {rows, rows, depth};
  const LeftOperand left = choose_left(d, given, multiples);
  const PaddedProduct product = padded_product(d, given, multiples, std::nullopt, left);
  const BlockRef c = product.sums;
  const BlockRef tile_a = s.blocks(CacheRead{c, 0, "amx.tile"})[0];
  const BlockRef tile_b = s.blocks(CacheRead{c, 1, "amx.tile"})[0];
  const BlockRef stored = s.blocks(CacheWrite{c, 0, "amx.tile"})[0];

  const std::int64_t column_bytes = round_up(sizes.k, depth) * given.product.right->type.bytes(),
                     columns_by_model = by_model.across * rows;
  const std::int64_t panel = panel_columns(target, sizes.n, column_bytes, columns_by_model);
  const std::int64_t tiles_down = ceil_div(sizes.m, rows), tiles_across = ceil_div(sizes.n, rows);
  const Number down = d.number("tiles_down", tile_sizes(tiles_down, intrin::tile_registers), by_model.down);
  const Number across =
      d.number("tiles_across", tile_sizes(tiles_across, intrin::tile_registers), by_model.across);
  const Number tiles_of_panel =
      d.number("panel_tiles",
               group_sizes(tiles_across, tile_sizes(tiles_across, intrin::tile_registers), by_model.across),
               panel / columns_by_model);
  d.keep_to((value_of(tiles_of_panel) - 1) * value_of(across) < make_int(tiles_across), "panels",
            fmt::format("a panel holds no more tiles than {} tiles of columns make", tiles_across));
  const auto loops = s.get_loops(c);
  const auto i = s.loops(Split{loops[0], {std::nullopt, down, rows}});
  const auto j = s.loops(Split{loops[1], {std::nullopt, tiles_of_panel, across, rows}});
  const auto k = s.loops(Split{loops[2], {std::nullopt, depth / group, group}});
  s.apply(Reorder{{j[0], i[0], j[1], k[0], i[1], j[2], i[2], j[3], k[1], k[2]}});
  s.apply(ReverseComputeAt{stored, j[1], true});
  if (product.last) s.apply(ReverseComputeAt{*product.last, j[1], true});
  s.apply(ComputeAt{tile_a, k[0], true});
  s.apply(ComputeAt{tile_b, k[0], true});
  if (!d.packs_weights_ahead()) s.apply(ComputeAt{product.b, j[0], true});
  if (product.a) s.apply(ComputeAt{*product.a, i[0], true});

  const std::string in_a = fmt::format("lambda m, k: (m // {0}, k // {1}, m % {0}, k % {1})", rows, depth);
  const std::string in_b = layout_of_b(
      transposed, fmt::format("n // {0}, k // {1}, k % {1} // {2}, n % {0}, k % {2}", rows, depth, group));
  for (const char* side : {"read", "write"}) s.apply(TransformLayout{tile_b, {side, 0}, in_b});
  if (product.a) s.apply(TransformLayout{tile_a, {"read", 0}, in_a});
  s.apply(TransformLayout{tile_a, {"write", 0}, in_a});
  s.apply(TransformLayout{
      c, {"write", 0}, fmt::format("lambda m, n: (m // {0}, n // {0}, m % {0}, n % {0})", rows)});

  const BlockRef zero = s.blocks(DecomposeReduction{c, k[0]})[0];
  const auto start = s.get_loops(zero);
  s.apply(Tensorize{start[start.size() - 2], "amx.tilezero_" + of_sum, false});
  s.apply(Unroll{start[start.size() - 4]});
  s.apply(Unroll{start[start.size() - 3]});
  tensorize_tiles(s, tile_a, rows, depth, "amx.tileloadd_" + of_a);
  const auto b = tile_copy_of_b(s, transposed, tile_b, {depth, rows, group});
  // B streams past the rows of A: where both do not fit, it leaves the first cache to them.
  const target::Cache* first = target.cache(1);
  const std::int64_t bytes_of_both = (by_model.down + by_model.across) * rows * column_bytes;
  const bool streams =
      d.whether("B leaves the first cache to A", first != nullptr && bytes_of_both > first->bytes);
  s.apply(Tensorize{b[2], (streams ? "amx.tileloaddt1_" : "amx.tileloadd_") + of_b, false});
  s.apply(Unroll{b[0]});
  s.apply(Unroll{b[1]});
  s.apply(Tensorize{i[2], instruction, false});
  s.apply(Unroll{i[1]});
  s.apply(Unroll{j[2]});
  tensorize_tiles(s, stored, rows, rows, "amx.tilestored_" + of_sum);

  if (product.last) {
    const auto out = s.get_loops(*product.last);
    s.apply(Vectorize{s.loops(Split{out.back(), {std::nullopt, rows}})[1]});
  }
  if (product.a) copy_in_tiles(s, *product.a, rows, depth);
  const auto copy_of_b = tile_copy_of_b(s, transposed, product.b, {depth, rows, group});
  // Rows are read from end to end at once; by blocks a line is read as often as tiles cut it.
  if (!transposed && d.whether("B packed row by row", true)) s.apply(Reorder{{copy_of_b[2], copy_of_b[0]}});
  vectorize_tiles(s, copy_of_b);
  share_among_threads(d, product, i[0], copy_of_b);
}

}  // namespace

ProductUnit amx_unit() { return {amx_instruction, amx_cycles, apply_amx}; }

}  // namespace ardea::rules
