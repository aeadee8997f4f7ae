#include "ardea/rules/cpu/padded_product.h"

#include "ardea/rules/analysis/epilogue.h"
#include "ardea/rules/analysis/stage.h"
#include "ardea/rules/model/threads.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/cache_read.h"
#include "ardea/schedule/primitives/place/compute_inline.h"
#include "ardea/schedule/primitives/reduce/pad_einsum.h"
#include "ardea/schedule/program/tree.h"

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

PaddedProduct padded_product(Derivation& d, const ConvertedProduct& given, const ProductSizes& multiples) {
  Schedule& s = d.steps();
  const ProductSizes& sizes = given.product.sizes;
  const auto padding = [](std::int64_t size, std::int64_t multiple) {
    return size % multiple == 0 ? std::int64_t{1} : multiple;
  };
  const std::int64_t m = padding(sizes.m, multiples.m), n = padding(sizes.n, multiples.n),
                     k = padding(sizes.k, multiples.k);
  PaddedProduct product;
  product.sums = given.sums;
  std::vector<BlockRef> stages = {given.sums};
  if (given.converter) stages.push_back(*given.converter);
  product.is_worth_threads = worth_threads(bytes_around(s.program(), stages), d.target());
  std::vector<BlockRef> copies;
  if (m * n * k > 1) copies = s.blocks(PadEinsum{product.sums, {m, n, k}});
  std::size_t next = 0;
  const auto copy_of = [&](bool is_padded, std::int64_t index) {
    return is_padded ? copies[next++] : s.blocks(CacheRead{product.sums, index, "global"})[0];
  };
  product.a = copy_of(m * k > 1, 0);
  product.b = copy_of(k * n > 1, 1);
  const bool unpads = m * n > 1;
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
