#include "ardea/ir/substitute.h"
#include "ardea/schedule/primitives/reduce/decompose_reduction.h"
#include "ardea/schedule/primitives/reduce/pad_einsum.h"
#include "ardea/schedule/primitives/reduce/rfactor.h"
#include "ardea/schedule/primitives/reduce/split_prefix.h"
#include "tests/schedule/campaign/random_steps.h"

namespace ardea::schedule {

namespace {

/// A block with an init, most of the time; nothing where there is none.
std::optional<BlockRef> reducing_block(RandomSteps& steps) {
  std::vector<Path> likely;
  for (const Path& path : all_blocks(steps.program()))
    if (path.block().init.defined()) likely.push_back(path);
  if (steps.random().chance(0.03)) return steps.any_block();
  if (likely.empty()) return std::nullopt;
  return steps.block_at_end(steps.random().pick(likely));
}

void propose_decompose_reduction(RandomSteps& steps) {
  const auto block = reducing_block(steps);
  if (!block) return;
  const std::vector<LoopRef> loops = steps.loops_of(*block);
  if (!loops.empty()) steps.attempt(DecomposeReduction{*block, steps.random().pick(loops)});
}

void propose_rfactor(RandomSteps& steps) {
  Random& random = steps.random();
  const auto block = reducing_block(steps);
  if (!block) return;
  const std::vector<LoopRef> loops = steps.loops_of(*block);
  if (loops.empty()) return;
  std::vector<LoopRef> likely;
  for (const BlockIterator& iterator : path_to(steps.program(), *block)->block().iterators)
    for (const LoopRef& loop : loops)
      if (iterator.kind == IteratorKind::reduce && uses(iterator.binding, loop.var)) likely.push_back(loop);
  const LoopRef loop = random.pick(likely.empty() || random.chance(0.1) ? loops : likely);
  const std::int64_t first = random.chance(0.1) ? -4 : -1, last = random.chance(0.1) ? 3 : 1;
  steps.attempt(RFactor{loop, random.integer(first, last)});
}

/// Whether the block has a loop for each iterator, and runs always: what pad_einsum asks first.
bool runs_in_loops_of_its_own(const Block& block) {
  return !block.predicate.defined() &&
         std::all_of(block.iterators.begin(), block.iterators.end(),
                     [](const BlockIterator& i) { return i.binding.is<VarNode>(); });
}

void propose_pad_einsum(RandomSteps& steps) {
  Random& random = steps.random();
  const auto block = reducing_block(steps);
  if (!block) return;
  const bool fits = runs_in_loops_of_its_own(path_to(steps.program(), *block)->block());
  if (!fits && random.chance(0.9)) return;
  std::vector<Number> padding;
  for (const BlockIterator& iterator : path_to(steps.program(), *block)->block().iterators) {
    const bool stays = iterator.kind == IteratorKind::reduce && random.chance(0.75);
    padding.emplace_back(stays ? std::int64_t{1} : random.integer(random.chance(0.05) ? 0 : 1, 5));
  }
  steps.attempt(PadEinsum{*block, padding});
}

}  // namespace

void propose_split_prefix(RandomSteps& steps) {
  Random& random = steps.random();
  const auto block = reducing_block(steps);
  if (block) steps.attempt(SplitPrefix{*block, random.integer(random.chance(0.05) ? 0 : 1, 5)});
}

std::vector<Proposer> reduction_proposers() {
  return {{1.7, propose_decompose_reduction},
          {2.5, propose_rfactor},
          {9.5, propose_pad_einsum},
          {0.7, propose_split_prefix}};
}

}  // namespace ardea::schedule
