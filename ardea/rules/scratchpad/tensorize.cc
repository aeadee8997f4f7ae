#include <fmt/core.h>

#include <algorithm>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/print.h"
#include "ardea/rules/scratchpad/plan.h"
#include "ardea/rules/scratchpad/rules.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/reduce/decompose_reduction.h"
#include "ardea/schedule/primitives/tensor/tensorize.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// One copy moves a box of tiles: its sides are no longer than the engine counts.
void keep_to_copy_engines(Derivation& d, const TileCopy& copy, const std::vector<LoopRef>& over_tiles) {
  const std::vector<target::CopyEngine>& engines = d.target().accelerator->copy_engines;
  const auto path = path_to(d.steps().program(), copy.block);
  for (const target::CopyEngine& engine : engines) {
    if (!engine.max_extent) continue;
    const std::size_t rank =
        std::min<std::size_t>(over_tiles.size(), static_cast<std::size_t>(engine.max_rank));
    for (std::size_t i = over_tiles.size() - rank; i < over_tiles.size(); ++i)
      for (std::size_t at = 0; at < path->size(); ++at) {
        const auto* loop = (*path)[at].as<For>();
        if (loop == nullptr || loop->var != over_tiles[i].var) continue;
        const Expr holds =
            arith::Analyzer().simplify(loop->extent <= make_int(*engine.max_extent, loop->extent.type()));
        if (constant_int(holds) == 1) continue;
        d.keep_to(holds, "copied at once",
                  fmt::format("{} moves at most {} tiles along one dimension into or out of {}", engine.name,
                              *engine.max_extent, copy.scope));
      }
  }
}

void tensorize_copy(Derivation& d, const TileCopy& copy) {
  Schedule& s = d.steps();
  // Of its own are as many loops as it has iterators; those outside are the product's.
  const auto own = static_cast<std::ptrdiff_t>(path_to(s.program(), copy.block)->block().iterators.size());
  const std::vector<LoopRef> loops = s.get_loops(copy.block);
  std::vector<LoopRef> over_tiles(loops.end() - own, loops.end());
  LoopRef tile;
  if (copy.is_packed) {
    tile = over_tiles[over_tiles.size() - copy.tile.size()];
    over_tiles.resize(over_tiles.size() - copy.tile.size());
  } else {
    const auto parts = s.loops(Split{over_tiles.back(), {std::nullopt, copy.tile[0]}});
    over_tiles.back() = parts[0];
    tile = parts[1];
  }
  keep_to_copy_engines(d, copy, over_tiles);
  s.apply(Tensorize{tile, copy.instruction, false});
}

}  // namespace

Rule tensorize_tiles_of_scratchpads() {
  return {
      .name = "tensorize",
      .doc = "what is left inside is an instruction each: product, reset, copies of tiles",
      .applies = [](const Derivation& d,
                    const BlockRef& stage) { return d.left<TiledLoops>(stage) != nullptr; },
      .apply =
          [](Derivation& d, const BlockRef& stage) {
            const ScratchpadPlan plan = *d.left<ScratchpadPlan>(stage);
            const TiledLoops loops = *d.left<TiledLoops>(stage);
            Schedule& s = d.steps();
            const BlockRef zero = s.blocks(DecomposeReduction{plan.product.sums, loops.depth})[0];
            s.apply(Tensorize{loops.tile.front(), plan.unit.product, false});
            const auto of_zero = s.get_loops(zero);
            s.apply(Tensorize{of_zero[of_zero.size() - plan.unit.sums.axes.size()], plan.unit.reset, false});
            for (const auto* copies : {&plan.left, &plan.right})
              for (const TileCopy& copy : *copies) tensorize_copy(d, copy);
            tensorize_copy(d, d.left<StoredSums>(stage)->store);
            d.finish(plan.product.sums);
            if (plan.product.narrowed) d.finish(*plan.product.narrowed);
          }};
}

}  // namespace ardea::rules
