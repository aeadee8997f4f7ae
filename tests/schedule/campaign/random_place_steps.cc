#include <algorithm>

#include "ardea/ir/substitute.h"
#include "ardea/schedule/primitives/memory/rolling_buffer.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/place/compute_root.h"
#include "ardea/schedule/primitives/place/legal_loops.h"
#include "ardea/schedule/primitives/place/reverse_compute_at.h"
#include "ardea/schedule/program/scope.h"
#include "tests/schedule/campaign/random_steps.h"

namespace ardea::schedule {

namespace {

std::int64_t any_index(Random& random) {
  return random.chance(0.7) ? -1 : random.chance(0.6) ? -2 : random.integer(0, 2);
}

/// Two blocks of which the second reads what the first writes.
struct Pair {
  BlockRef producer, consumer;
};

/// A random pair; nothing where there is none, or its blocks have no names of their own.
std::optional<Pair> any_pair(RandomSteps& steps) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const Path& producer : all_blocks(steps.program()))
    for (const Path& consumer : consumers_of(steps.program(), producer))
      pairs.emplace_back(producer.block().name, consumer.block().name);
  if (pairs.empty()) return std::nullopt;
  const auto& [producer, consumer] = steps.random().pick(pairs);
  const auto first = steps.block_called(producer), second = steps.block_called(consumer);
  return first && second ? std::optional(Pair{*first, *second}) : std::nullopt;
}

/// A loop around the block; now and then any loop at all.
std::optional<LoopRef> any_loop(RandomSteps& steps, const BlockRef& block) {
  const std::vector<LoopRef> loops = steps.random().chance(0.05) ? steps.any_loops() : steps.loops_of(block);
  return loops.empty() ? std::nullopt : std::optional(steps.random().pick(loops));
}

void propose_compute_at(RandomSteps& steps) {
  Random& random = steps.random();
  const auto pair = any_pair(steps);
  if (!pair) return;
  std::optional<LoopRef> loop = any_loop(steps, pair->consumer);
  if (!loop) return;
  // What is said to be legal must be: the step is then taken, or the campaign fails.
  const std::vector<LoopRef> legal = random.chance(0.3) && !steps.loops_of(pair->consumer).empty()
                                         ? legal_loops(steps.program(), pair->producer)
                                         : std::vector<LoopRef>{};
  if (!legal.empty()) loop = random.pick(legal);
  const std::int64_t index = legal.empty() ? any_index(random) : -random.integer(1, 2);
  steps.attempt(ComputeAt{pair->producer, *loop, random.chance(0.3), index});
  if (!legal.empty() && !steps.last_was_applied())
    throw InternalError("compute_at refuses loop " + loop->var.name() + ", which legal_loops names");
  // What overlaps from one iteration to the next may roll.
  ByHand context;
  if (steps.last_was_applied() &&
      std::holds_alternative<Applied>(apply(steps.program(), RollingBuffer{pair->producer}, context)))
    steps.attempt(RollingBuffer{pair->producer});
}

void propose_reverse_compute_at(RandomSteps& steps) {
  Random& random = steps.random();
  const auto pair = any_pair(steps);
  const auto loop = pair ? any_loop(steps, pair->producer) : std::nullopt;
  if (loop) steps.attempt(ReverseComputeAt{pair->consumer, *loop, random.chance(0.3), any_index(random)});
}

/// A block, and a loop of one who reads a window of what it writes, several elements or some that a sum
/// reaches, that moves it.
struct Window {
  std::string producer, consumer;
  BlockRef block;
  LoopRef loop;
};

std::vector<Window> windows(const Function& program) {
  std::vector<Window> found;
  for (const Path& producer : all_blocks(program))
    for (const Path& consumer : consumers_of(program, producer))
      for (const BufferRegion& region : *consumer.block().reads) {
        if (region.buffer != producer.block().writes->front().buffer) continue;
        for (const Range& range : region.region) {
          std::vector<const BlockIterator*> movers;
          for (const BlockIterator& iterator : consumer.block().iterators)
            if (uses(range.min, iterator.var)) movers.push_back(&iterator);
          if (movers.empty() || (movers.size() == 1 && is_one(range.extent))) continue;
          for (const LoopRef& loop : consumer.loops())
            for (const BlockIterator* iterator : movers)
              if (iterator->kind == IteratorKind::spatial && uses(iterator->binding, loop.var))
                found.push_back({producer.block().name, consumer.block().name, {producer.block().id}, loop});
        }
      }
  return found;
}

/// Whether the block rolls where it is, or where compute_at puts it.
bool rolls(const Function& program, const Window& window) {
  ByHand context;
  const Outcome placed = apply(program, ComputeAt{window.block, window.loop}, context);
  const auto* applied = std::get_if<Applied>(&placed);
  return std::holds_alternative<Applied>(
      apply(applied != nullptr ? applied->program : program, RollingBuffer{window.block}, context));
}

/// Mostly of what rolls, after it was placed, as people do it.
void propose_rolling_buffer(RandomSteps& steps) {
  Random& random = steps.random();
  std::vector<Window> likely = windows(steps.program());
  if (likely.empty() || random.chance(0.03)) {
    const auto pair = random.chance(0.2) ? any_pair(steps) : std::nullopt;
    if (pair) steps.attempt(RollingBuffer{pair->producer, random.chance(0.1) ? 1 : 0});
    return;
  }
  constexpr std::size_t most = 12;  // trials cost more than all else here
  while (likely.size() > most) likely.erase(likely.begin() + random.integer(0, std::ssize(likely) - 1));
  const auto good =
      std::find_if(likely.begin(), likely.end(), [&](const Window& w) { return rolls(steps.program(), w); });
  if (good == likely.end() && random.chance(0.7)) return;
  const Window window = good == likely.end() ? random.pick(likely) : *good;
  const auto block = steps.block_called(window.producer), reader = steps.block_called(window.consumer);
  if (!block || !reader) return;
  for (const LoopRef& loop : steps.loops_of(*reader))
    if (loop.var == window.loop.var) steps.attempt(ComputeAt{*block, loop, random.chance(0.2), -1});
  steps.attempt(RollingBuffer{*block});
}

/// Mostly of a block that shares loops with others.
void propose_compute_root(RandomSteps& steps) {
  const auto pair = any_pair(steps);
  if (!pair) return;
  const Path producer = *path_to(steps.program(), pair->producer),
             consumer = *path_to(steps.program(), pair->consumer);
  const std::vector<LoopRef> mine = producer.loops(), theirs = consumer.loops();
  const bool shared = !mine.empty() && !theirs.empty() && mine[0] == theirs[0];
  if (shared || steps.random().chance(0.1)) steps.attempt(ComputeRoot{pair->producer});
}

}  // namespace

std::vector<Proposer> place_proposers() {
  return {{3, propose_compute_at},
          {4, propose_reverse_compute_at},
          {8, propose_compute_root},
          {24, propose_rolling_buffer}};
}

}  // namespace ardea::schedule
