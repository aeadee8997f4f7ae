#include "ardea/recipes/padded_product.h"

#include <algorithm>

#include "ardea/recipes/threads.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/cache_read.h"
#include "ardea/schedule/primitives/place/compute_inline.h"
#include "ardea/schedule/primitives/reduce/pad_einsum.h"
#include "ardea/support/ceil_div.h"

namespace ardea::recipes {

using namespace schedule;

ProductSizes sizes_of(const ops::Workload& workload) {
  return {ops::size(workload, "m"), ops::size(workload, "n"), ops::size(workload, "k")};
}

PaddedProduct padded_product(Schedule& s, const ops::Workload& workload, const ProductSizes& multiples) {
  const ProductSizes sizes = sizes_of(workload);
  const auto padding = [](std::int64_t size, std::int64_t multiple) {
    return size % multiple == 0 ? std::int64_t{1} : multiple;
  };
  const std::int64_t m = padding(sizes.m, multiples.m), n = padding(sizes.n, multiples.n),
                     k = padding(sizes.k, multiples.k);
  const bool converts = workload.out != workload.acc;
  PaddedProduct product;
  product.sums = s.get_block(converts ? "C_acc" : "C");
  std::vector<BlockRef> copies;
  if (m * n * k > 1) copies = s.blocks(PadEinsum{product.sums, {m, n, k}});
  std::size_t next = 0;
  const auto copy_of = [&](bool is_padded, std::int64_t index) {
    return is_padded ? copies[next++] : s.blocks(CacheRead{product.sums, index, "global"})[0];
  };
  product.a = copy_of(m * k > 1, 0);
  product.b = copy_of(k * n > 1, 1);
  const bool unpads = m * n > 1;
  if (converts) {
    if (unpads) s.apply(ComputeInline{copies[next]});
    product.last = s.get_block("C");
  } else if (unpads) {
    product.last = copies[next];
  }
  return product;
}

std::array<LoopRef, 5> tile_copy_of_b(Schedule& s, const ops::Workload& workload, const BlockRef& b,
                                      std::int64_t k, std::int64_t n, std::int64_t group) {
  const auto all = s.get_loops(b);
  const LoopRef &over_k = all[all.size() - (workload.transpose_b ? 1 : 2)],
                &over_n = all[all.size() - (workload.transpose_b ? 2 : 1)];
  const auto ks = s.loops(Split{over_k, {std::nullopt, k / group, group}});
  const auto ns = s.loops(Split{over_n, {std::nullopt, n}});
  // Row by row of B, which lies in memory so: what a line holds for the next tiles is still near by then.
  s.apply(Reorder{{ks[0], ns[0], ks[1], ns[1], ks[2]}});
  return {ns[0], ks[0], ks[1], ns[1], ks[2]};
}

void vectorize_tiles(Schedule& s, const std::array<LoopRef, 5>& loops) {
  s.apply(Vectorize{s.loops(Fuse{{loops[3], loops[4]}})[0]});
}

void share_among_threads(Schedule& s, const ops::Workload& workload, const target::Target& target,
                         const LoopRef& row_tiles, const std::array<LoopRef, 5>& copy_of_b) {
  if (!worth_threads(workload, target)) return;
  s.apply(Parallel{row_tiles});
  s.apply(Parallel{copy_of_b[1]});
}

std::string layout_of_b(const ops::Workload& workload, const std::string& places) {
  return (workload.transpose_b ? "lambda n, k: (" : "lambda k, n: (") + places + ")";
}

std::int64_t panel_columns(const target::Target& target, std::int64_t n, std::int64_t column_bytes,
                           std::int64_t columns) {
  const target::Cache* cache = target.cache(2);
  if (cache == nullptr) return round_up(n, columns);
  const std::int64_t fit = std::max(columns, cache->bytes / 2 / column_bytes / columns * columns);
  return round_up(even_part(n, fit), columns);
}

std::int64_t even_part(std::int64_t n, std::int64_t most) {
  return n <= most ? n : ceil_div(n, ceil_div(n, most));
}

}  // namespace ardea::recipes
