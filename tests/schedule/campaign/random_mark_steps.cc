#include "ardea/ir/thread_axes.h"
#include "ardea/schedule/primitives/loops/annotate.h"
#include "ardea/schedule/primitives/loops/bind.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "tests/schedule/campaign/random_steps.h"

namespace ardea::schedule {

namespace {

/// The mark on a random loop.
template <class Mark>
void propose_mark(RandomSteps& steps) {
  const std::vector<LoopRef> loops = steps.any_loops();
  if (!loops.empty()) steps.attempt(Mark{steps.random().pick(loops)});
}

void propose_bind(RandomSteps& steps) {
  const std::vector<LoopRef> loops = steps.any_loops();
  if (loops.empty()) return;
  const bool known = !steps.random().chance(0.03);
  const std::string thread = known ? steps.random().pick(thread_axes()) : "threadIdx.w";
  steps.attempt(Bind{steps.random().pick(loops), thread});
}

std::optional<BlockOrLoop> any_block_or_loop(RandomSteps& steps) {
  const std::optional<BlockRef> block = steps.any_block();
  if (!block) return std::nullopt;
  const std::vector<LoopRef> loops = steps.loops_of(*block);
  if (loops.empty() || steps.random().chance(0.5)) return *block;
  return steps.random().pick(loops);
}

Argument any_value(Random& random, int depth = 0) {
  switch (random.integer(0, depth < 2 ? 4 : 3)) {
    case 0: return {random.chance(0.5)};
    case 1: return {random.integer(-5, 5)};
    case 2: return {static_cast<double>(random.integer(-8, 8)) / 4.0};
    case 3: return {std::string(random.chance(0.5) ? "some \"text\"" : "")};
    default: break;
  }
  std::vector<Argument> items;
  for (std::int64_t i = random.integer(0, 3); i > 0; --i) items.push_back(any_value(random, depth + 1));
  return {std::move(items)};
}

const std::vector<std::string> keys = {"pragma_test", "test", "another"};

void propose_annotate(RandomSteps& steps) {
  if (const auto target = any_block_or_loop(steps))
    steps.attempt(Annotate{*target, steps.random().pick(keys), any_value(steps.random())});
}

/// Mostly what was said just before.
void propose_unannotate(RandomSteps& steps) {
  const auto target = any_block_or_loop(steps);
  if (!target) return;
  const std::string key = steps.random().pick(keys);
  if (steps.random().chance(0.7)) steps.attempt(Annotate{*target, key, any_value(steps.random())});
  steps.attempt(Unannotate{*target, key});
}

void propose_pragma(RandomSteps& steps) {
  const std::vector<LoopRef> loops = steps.any_loops();
  if (!loops.empty()) steps.attempt(Pragma{steps.random().pick(loops), "test", any_value(steps.random())});
}

}  // namespace

std::vector<Proposer> mark_proposers() {
  return {{1.2, propose_mark<Parallel>}, {1.2, propose_mark<Vectorize>}, {1, propose_mark<Unroll>},
          {1.5, propose_bind},           {0.3, propose_annotate},        {1.2, propose_unannotate},
          {0.9, propose_pragma}};
}

void propose_lanes(RandomSteps& steps) {
  for (const Path& path : all_blocks(steps.program())) {
    if (steps.random().chance(0.5)) continue;
    const std::optional<BlockRef> block = steps.block_at_end(path);
    if (!block) continue;
    const std::vector<LoopRef> loops = steps.loops_of(*block);
    if (!loops.empty()) steps.attempt(Vectorize{loops.back()});
  }
}

std::vector<Proposer> concurrency_proposers() {
  return {{1, propose_mark<Parallel>}, {1, propose_mark<Vectorize>}, {1.3, propose_bind}};
}

}  // namespace ardea::schedule
