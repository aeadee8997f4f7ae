#include "ardea/rules/gpu/blocks.h"

#include "ardea/rules/analysis/stage.h"
#include "ardea/rules/model/block_threads.h"
#include "ardea/schedule/primitives/loops/bind.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// How many of the loops around the block, from the outermost on, make elements; nothing where loops are no
/// bindings of iterators.
std::size_t loops_for_threads(const Function& program, const BlockRef& ref) {
  const auto path = path_to(program, ref);
  if (!path || !loop_lengths(*path, Lengths::any)) return 0;
  std::size_t count = 0;
  for (const BlockIterator& iterator : path->block().iterators) {
    if (iterator.kind != IteratorKind::spatial) break;
    ++count;
  }
  return count;
}

}  // namespace

Rule blocks_by_threads() {
  return {.name = "blocks by threads",
          .doc = "each instance of any other block by one thread",
          .applies =
              [](const Derivation& d, const BlockRef& block) {
                return d.target().gpu && loops_for_threads(d.steps().program(), block) > 0;
              },
          .apply =
              [](Derivation& d, const BlockRef& block) {
                Schedule& s = d.steps();
                const std::string name = path_to(s.program(), block)->block().name;
                std::vector<LoopRef> loops = s.get_loops(block);
                loops.resize(loops_for_threads(s.program(), block));
                const Number threads =
                    d.number(name + "_threads", block_threads(d.target()), usual_block_threads(d.target()));
                const auto parts = s.loops(Split{s.loops(Fuse{loops})[0], {std::nullopt, threads}});
                s.apply(Bind{parts[0], "blockIdx.x"});
                s.apply(Bind{parts[1], "threadIdx.x"});
                d.finish(block);
              }};
}

}  // namespace ardea::rules
