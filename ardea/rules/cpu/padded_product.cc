#include "ardea/rules/cpu/padded_product.h"

#include "ardea/ir/ceil_div.h"
#include "ardea/rules/analysis/epilogue.h"
#include "ardea/rules/analysis/stage.h"
#include "ardea/rules/cpu/sum_rest.h"
#include "ardea/rules/model/threads.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/cache_read.h"
#include "ardea/schedule/primitives/place/compute_inline.h"
#include "ardea/schedule/primitives/reduce/pad_einsum.h"
#include "ardea/schedule/program/tree.h"
#include "ardea/support/error.h"

namespace ardea::rules {

using namespace schedule;

std::optional<ConvertedProduct> product_of_stage(const Function& program, const BlockRef& stage,
                                                 Lengths lengths) {
  if (auto product = matrix_product(program, stage, lengths)) {
    const auto converter = elementwise_consumer(program, stage);
    return ConvertedProduct{stage, *std::move(product), converter};
  }
  for (const Path& path : all_blocks(program)) {
    const BlockRef sums{path.block().id};
    auto product = matrix_product(program, sums, lengths);
    if (product && elementwise_consumer(program, sums) == stage)
      return ConvertedProduct{sums, *std::move(product), stage};
  }
  return std::nullopt;
}

bool is_left_whole(const ConvertedProduct& given, const ProductSizes& multiples) {
  return given.product.sizes.m % multiples.m == 0 && given.product.sizes.k % multiples.k == 0;
}

PaddedProduct padded_product(Derivation& d, const ConvertedProduct& given, const ProductSizes& multiples,
                             const std::optional<Number>& tile_rows, LeftOperand left) {
  Schedule& s = d.steps();
  const ProductSizes& sizes = given.product.sizes;
  const auto padding = [](std::int64_t size, std::int64_t multiple) {
    return size % multiple == 0 ? std::int64_t{1} : multiple;
  };
  const std::int64_t least_m = padding(sizes.m, multiples.m), n = padding(sizes.n, multiples.n),
                     k = padding(sizes.k, multiples.k);
  const Number m = tile_rows ? *tile_rows : Number(least_m);
  const bool pads_m = tile_rows || least_m > 1, pads_n = n > 1, pads_k = k > 1;
  ensure(left == LeftOperand::copied || !(pads_m || pads_k), "what is padded is a copy");
  PaddedProduct product;
  product.sums = given.sums;
  std::vector<BlockRef> stages = {given.sums};
  if (given.converter) stages.push_back(*given.converter);
  product.is_worth_threads = worth_threads(bytes_around(s.program(), stages), d.target());
  std::vector<BlockRef> copies;
  if (pads_m || pads_n || pads_k) copies = s.blocks(PadEinsum{product.sums, {m, n, k}});
  std::size_t next = 0;
  const auto copy_of = [&](bool is_padded, std::int64_t index) {
    return is_padded ? copies[next++] : s.blocks(CacheRead{product.sums, index, "global"})[0];
  };
  if (left == LeftOperand::copied) product.a = copy_of(pads_m || pads_k, 0);
  product.b = copy_of(pads_k || pads_n, 1);
  const bool unpads = pads_m || pads_n;
  if (given.converter) {
    if (unpads) s.apply(ComputeInline{copies[next]});
    product.last = given.converter;
  } else if (unpads) {
    product.last = copies[next];
  }
  d.finish(given.sums);
  if (given.converter) d.finish(*given.converter);
  return product;
}

TileRows choose_tile_rows(Derivation& d, const ConvertedProduct& given, std::int64_t rows, TileRows guarded) {
  const std::vector<std::int64_t> sizes = leaving_over(guarded.sizes, rows);
  const LeftOver left_over =
      choose_left_over(d, given.sums, path_to(d.steps().program(), given.sums)->block().name,
                       {.rows_padded = rows % guarded.model != 0 && !sizes.empty()});
  if (left_over.rows != Rest::padded) return guarded;
  return {sizes, model_leaving_over(sizes, guarded.model), true};
}

std::vector<LoopRef> in_row_tiles(Derivation& d, const LoopRef& loop, std::int64_t rows,
                                  const std::vector<Number>& factors, bool is_padded) {
  Split split{.loop = loop, .factors = {std::nullopt}, .disable_predication = is_padded};
  Expr tile = make_int(1);
  for (const Number& factor : factors) {
    split.factors.emplace_back(factor);
    tile = tile * value_of(factor);
  }
  if (is_padded) split.factors[0] = d.follows(ceil_div(make_int(rows), tile));
  return d.steps().loops(split);
}

std::array<LoopRef, 5> tile_copy_of_b(Schedule& s, bool transposed, const BlockRef& b, const CopyOfB& tiles) {
  const auto all = s.get_loops(b);
  const LoopRef &over_k = all[all.size() - (transposed ? 1 : 2)],
                &over_n = all[all.size() - (transposed ? 2 : 1)];
  const auto ks = s.loops(Split{over_k, {std::nullopt, tiles.k / tiles.group, tiles.group}});
  const auto ns = s.loops(Split{over_n, {std::nullopt, tiles.n}});
  // Row by row of B, which lies in memory so: what a line holds for the next tiles is still near by then.
  s.apply(Reorder{{ks[0], ns[0], ks[1], ns[1], ks[2]}});
  return {ns[0], ks[0], ks[1], ns[1], ks[2]};
}

void vectorize_tiles(Schedule& s, const std::array<LoopRef, 5>& loops) {
  s.apply(Vectorize{s.loops(Fuse{{loops[3], loops[4]}})[0]});
}

void share_among_threads(Derivation& d, const PaddedProduct& product, const LoopRef& row_tiles,
                         const std::array<LoopRef, 5>& copy_of_b) {
  if (!product.is_worth_threads) return;
  d.steps().apply(Parallel{row_tiles});
  d.steps().apply(Parallel{copy_of_b[1]});
}

std::string layout_of_b(bool transposed, const std::string& places) {
  return (transposed ? "lambda n, k: (" : "lambda k, n: (") + places + ")";
}

void write_out(Schedule& s, const std::vector<LoopRef>& tile) {
  for (std::size_t i = 0; i + 1 < tile.size(); ++i) s.apply(Unroll{tile[i]});
  s.apply(Vectorize{tile.back()});
}

}  // namespace ardea::rules
