#include <algorithm>

#include "ardea/arith/regions.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/primitives/memory/add_guard.h"
#include "ardea/schedule/primitives/memory/lift_alloc.h"
#include "ardea/schedule/primitives/memory/stage_mem.h"
#include "ardea/schedule/primitives/memory/transform_layout.h"
#include "ardea/schedule/program/scope.h"
#include "ardea/support/text.h"
#include "tests/schedule/campaign/random_steps.h"

namespace ardea::schedule {

namespace {

/// A buffer that the block touches, by name or by position.
std::optional<std::pair<BufferArgument, Buffer>> any_buffer(RandomSteps& steps, const BlockRef& reference) {
  const Block& block = path_to(steps.program(), reference)->block();
  const bool reads = !block.reads->empty() && (block.writes->empty() || steps.random().chance(0.5));
  const std::vector<BufferRegion>& regions = reads ? *block.reads : *block.writes;
  if (regions.empty()) return std::nullopt;
  const std::int64_t at = steps.random().integer(0, std::ssize(regions) - 1);
  const Buffer& buffer = regions[static_cast<std::size_t>(at)].buffer;
  const bool by_name = steps.random().chance(0.5);
  return std::pair(by_name ? BufferArgument(buffer->name) : BufferArgument(reads ? "read" : "write", at),
                   buffer);
}

/// Some dimensions split, two of them joined, all in another order; now and then what is no layout at all.
std::string any_index_map(Random& random, std::size_t rank) {
  std::vector<std::string> from, to;
  for (std::size_t d = 0; d < rank; ++d) {
    from.push_back("i" + std::to_string(d));
    const std::string& index = from.back();
    if (random.chance(0.4)) {
      const std::int64_t factor = random.integer(2, 5);
      const std::string tiled = factor == 5 ? "(" + index + " + 3)" : index;  // begins within a tile
      to.push_back(tiled + " // " + std::to_string(factor));
      to.push_back(tiled + " % " + std::to_string(factor));
    } else {
      to.push_back(random.chance(0.05) ? index + " * 2 + 1" : index);
    }
  }
  for (std::size_t d = to.size(); d-- > 1;)
    std::swap(to[d], to[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(d)))]);
  if (to.size() > 1 && random.chance(0.15)) {
    // The second index of a pair that is joined is below 9: sizes are small here.
    to[0] = "(" + to[0] + ") * 9 + (" + to[1] + ")";
    to.erase(to.begin() + 1);
  }
  if (random.chance(0.03)) to.pop_back();
  return "lambda " + join(from, ", ") + ": (" + join(to, ", ") + ")";
}

void propose_transform_layout(RandomSteps& steps) {
  Random& random = steps.random();
  const auto block = steps.any_block();
  if (!block) return;
  const auto buffer = any_buffer(steps, *block);
  if (!buffer || buffer->second->shape.empty()) return;
  TransformLayout step{*block, buffer->first, any_index_map(random, buffer->second->shape.size())};
  if (random.chance(0.5)) step.pad_value = static_cast<double>(random.integer(0, 3));
  steps.attempt(step);
}

/// The window as text: all of the buffer, or in the first dimension less than that.
std::string any_window(Random& random, const Buffer& buffer) {
  std::vector<std::string> ranges;
  for (const Expr& extent : buffer->shape)
    ranges.push_back(random.chance(0.1) ? std::string("0:1") : "0:" + print(extent));
  return buffer->name + "[" + join(ranges, ", ") + "]";
}

/// The loops around the block, those around the blocks that hold it included.
std::vector<LoopRef> all_loops(RandomSteps& steps, const BlockRef& block) {
  std::vector<LoopRef> loops = steps.loops_of(block);
  for (Path path = path_to(steps.program(), block)->block_around(); path.size() > 1;
       path = path.block_around())
    if (const auto around = steps.block_at_end(path))
      for (const LoopRef& loop : steps.loops_of(*around)) loops.push_back(loop);
  return loops;
}

void propose_stage_mem(RandomSteps& steps) {
  Random& random = steps.random();
  const auto block = steps.any_block();
  if (!block) return;
  const auto buffer = any_buffer(steps, *block);
  if (!buffer) return;
  const std::vector<LoopRef> loops = steps.loops_of(*block);
  const bool of_block = loops.empty() || random.chance(0.25);
  StageMem step{of_block ? BlockOrLoop(*block) : BlockOrLoop(random.pick(loops)), buffer->second->name,
                random.chance(0.5) ? "local" : "global"};
  if (!buffer->second->shape.empty() && random.chance(0.1)) step.window = any_window(random, buffer->second);
  step.accumulate = random.chance(0.1);
  const std::vector<Reference> added = steps.attempt(step);
  // What is loaded again and again may be loaded once.
  if (added.empty() || random.chance(0.5)) return;
  const auto load = std::get<BlockRef>(added[0]);
  const std::vector<LoopRef> around = all_loops(steps, load);
  if (!around.empty()) steps.attempt(AddGuard{load, random.pick(around)});
}

void propose_lift_alloc(RandomSteps& steps) {
  std::vector<Path> likely;
  for (const Path& path : all_blocks(steps.program()))
    if (!path.block().allocations.empty()) likely.push_back(path);
  if (likely.empty()) return;
  const Path& path = steps.random().pick(likely);
  const Block& block = path.block();
  const Buffer& buffer = steps.random().pick(block.allocations);
  const auto reference = steps.block_at_end(path);
  if (!reference) return;
  LiftAlloc step{*reference, buffer->name};
  if (steps.random().chance(0.3))
    step.buffer =
        steps.random().integer(0, std::ssize(path_to(steps.program(), *reference)->block().allocations));
  if (steps.random().chance(0.1)) step.n_lifts = steps.random().integer(0, 2);
  steps.attempt(step);
}

/// Moves what the block writes out of the blocks that allocate it inside the loop.
void lift_outputs(RandomSteps& steps, const BlockRef& block, const Var& loop) {
  const Path path = *path_to(steps.program(), block);
  const std::vector<BufferRegion> writes = *path.block().writes;
  for (std::size_t i = path.size() - 1; i-- > 0;) {
    if (const auto* at = path[i].as<For>(); at != nullptr && at->var == loop) return;
    const auto* owner = path[i].as<Block>();
    if (owner == nullptr) continue;
    for (const BufferRegion& region : writes)
      if (std::find(owner->allocations.begin(), owner->allocations.end(), region.buffer) !=
          owner->allocations.end())
        if (const auto reference = steps.block_called(owner->name))
          steps.attempt(LiftAlloc{*reference, region.buffer->name});
  }
}

/// Mostly of a block that its iterators do not tie to the loop.
void propose_add_guard(RandomSteps& steps) {
  std::vector<std::pair<Path, Var>> likely;
  for (const Path& path : all_blocks(steps.program())) {
    const Block& block = path.block();
    for (const Stmt& s : path) {
      const auto* loop = s.as<For>();
      if (loop == nullptr) continue;
      bool tied = block.init.defined();
      for (const BlockIterator& iterator : block.iterators) tied = tied || uses(iterator.binding, loop->var);
      if (!tied || steps.random().chance(0.02)) likely.emplace_back(path, loop->var);
    }
  }
  if (likely.empty()) return;
  const auto& [path, wanted] = steps.random().pick(likely);
  const auto block = steps.block_at_end(path);
  if (!block) return;
  if (steps.random().chance(0.7)) lift_outputs(steps, *block, wanted);
  for (const LoopRef& loop : all_loops(steps, *block))
    if (loop.var == wanted) return (void)steps.attempt(AddGuard{*block, loop});
}

}  // namespace

std::vector<Proposer> layout_proposers() {
  return {{1, propose_transform_layout},
          {1.2, propose_stage_mem},
          {6, propose_lift_alloc},
          {8, propose_add_guard}};
}

}  // namespace ardea::schedule
