#include "ardea/schedule/primitives/place/compute_inline.h"
#include "ardea/schedule/primitives/place/reverse_compute_inline.h"
#include "ardea/schedule/program/scope.h"
#include "tests/schedule/campaign/random_steps.h"

namespace ardea::schedule {

namespace {

/// A block that writes (or reads) a buffer which the block around it allocates, most of the time: others can
/// only be refused.
template <class Step>
void propose(RandomSteps& steps, DeclaredRegions regions) {
  std::vector<Path> likely;
  for (const Path& path : all_blocks(steps.program())) {
    const Block& block = path.block();
    bool fits = !block.init.defined();
    for (const BlockIterator& iterator : block.iterators)
      fits = fits && iterator.kind == IteratorKind::spatial;
    bool owned = false;
    for (const BufferRegion& region : *(block.*regions))
      for (const Buffer& buffer : path.block_around().block().allocations)
        owned = owned || buffer == region.buffer;
    if (fits && owned) likely.push_back(path);
  }
  if (steps.random().chance(0.05)) {
    if (const auto any = steps.any_block()) steps.attempt(Step{*any});
    return;
  }
  if (likely.empty()) return;
  if (const auto block = steps.block_at_end(steps.random().pick(likely))) steps.attempt(Step{*block});
}

void propose_compute_inline(RandomSteps& steps) { propose<ComputeInline>(steps, &Block::writes); }
void propose_reverse_compute_inline(RandomSteps& steps) {
  propose<ReverseComputeInline>(steps, &Block::reads);
}

}  // namespace

std::vector<Proposer> inline_proposers() {
  return {{1.5, propose_compute_inline}, {4, propose_reverse_compute_inline}};
}

}  // namespace ardea::schedule
