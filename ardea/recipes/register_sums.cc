#include "ardea/recipes/register_sums.h"

#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/place/reverse_compute_at.h"
#include "ardea/schedule/primitives/reduce/decompose_reduction.h"

namespace ardea::recipes {

using namespace schedule;

namespace {

/// About 4 KiB of code, which the caches of decoded instructions hold, too.
constexpr std::int64_t most_products = 512;
/// Four steps of a tile that fills 32 registers.
constexpr std::int64_t wanted_products = 96;

}  // namespace

void keep_in_registers(Schedule& s, const SumBlocks& blocks, const LoopRef& around, const LoopRef& reduced,
                       std::size_t result_rows) {
  s.apply(ReverseComputeAt{blocks.out, around, true});
  const BlockRef first = s.blocks(DecomposeReduction{blocks.sum, reduced})[0];
  for (const BlockRef& block : {blocks.sum, first, blocks.out}) {
    const auto loops = s.get_loops(block);
    s.apply(Unroll{loops[loops.size() - (block == blocks.out ? result_rows : 2)]});
    s.apply(Vectorize{loops.back()});
  }
}

void unroll_sum(Schedule& s, const std::vector<LoopRef>& reduced, const std::vector<std::int64_t>& extents,
                std::int64_t products) {
  for (std::size_t i = reduced.size(); i-- > 0; products *= extents[i]) {
    if (products * extents[i] <= most_products) {
      s.apply(Unroll{reduced[i]});
      continue;
    }
    for (std::int64_t part = wanted_products / products; part > 1; --part) {
      if (extents[i] % part != 0) continue;
      s.apply(Unroll{s.loops(Split{reduced[i], {std::nullopt, part}})[1]});
      return;
    }
    return;
  }
}

}  // namespace ardea::recipes
