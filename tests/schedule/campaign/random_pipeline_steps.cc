#include <algorithm>
#include <numeric>

#include "ardea/schedule/primitives/memory/double_buffer.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/place/legal_loops.h"
#include "ardea/schedule/primitives/tensor/software_pipeline.h"
#include "ardea/schedule/program/scope.h"
#include "tests/schedule/campaign/random_steps.h"

namespace ardea::schedule {

namespace {

/// A block in a loop whose body is a sequence.
struct Place {
  std::string block;
  LoopRef loop;
  std::size_t statements = 0;
};

std::vector<Place> places(const Function& program) {
  std::vector<Place> all;
  for (const Path& path : all_blocks(program)) {
    const std::vector<LoopRef> around = path.loops();
    for (const Stmt& s : path) {
      const auto* loop = s.as<For>();
      const auto* sequence = loop == nullptr ? nullptr : loop->body.as<Seq>();
      if (sequence == nullptr || std::find(around.begin(), around.end(), LoopRef{loop->var}) == around.end())
        continue;
      if (loop->annotations.empty())
        all.push_back({path.block().name, {loop->var}, sequence->statements.size()});
    }
  }
  return all;
}

/// Puts a producer into a loop of its consumer, where the two can then overlap.
void place_a_producer(RandomSteps& steps) {
  std::vector<std::string> producers;
  for (const Path& path : all_blocks(steps.program()))
    if (!consumers_of(steps.program(), path).empty()) producers.push_back(path.block().name);
  if (producers.empty()) return;
  const auto block = steps.block_called(steps.random().pick(producers));
  if (!block) return;
  const std::vector<LoopRef> legal = legal_loops(steps.program(), *block);
  if (legal.empty()) return;
  for (const Path& consumer : consumers_of(steps.program(), *path_to(steps.program(), *block)))
    if (const auto name = steps.block_at_end(consumer)) steps.loops_of(*name);
  steps.attempt(ComputeAt{*block, steps.random().pick(legal)});
}

/// A place, after a producer has been put into one now and then; nothing where there is none.
std::optional<Place> any_place(RandomSteps& steps) {
  if (places(steps.program()).empty() || steps.random().chance(0.2)) place_a_producer(steps);
  const std::vector<Place> all = places(steps.program());
  if (all.empty()) return std::nullopt;
  const Place place = steps.random().pick(all);
  const auto block = steps.block_called(place.block);
  if (!block) return std::nullopt;
  steps.loops_of(*block);
  return place;
}

/// Mostly stages that rise, as producers and consumers need it, and an order of whatever kind.
void propose_software_pipeline(RandomSteps& steps) {
  Random& random = steps.random();
  const auto place = any_place(steps);
  if (!place) return;
  SoftwarePipeline step{place->loop, {}, std::vector<std::int64_t>(place->statements)};
  std::int64_t stage = random.integer(0, 1);
  for (std::size_t i = 0; i < place->statements; ++i) {
    step.stage.push_back(random.chance(0.1) ? random.integer(0, 3) : stage);
    if (random.chance(0.6)) stage += random.chance(0.2) ? 2 : 1;
  }
  std::iota(step.order.begin(), step.order.end(), 0);
  if (random.chance(0.4))
    for (std::size_t i = step.order.size(); i-- > 1;)
      std::swap(step.order[i],
                step.order[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(i)))]);
  if (random.chance(0.02)) step.stage.push_back(0);
  steps.attempt(step);
}

/// Whether it makes something for a block beside it, in memory that is allocated for it.
bool fills_a_buffer(const Function& program, const Path& path) {
  if (consumers_of(program, path).empty()) return false;
  const auto& writes = path.block().writes;
  return writes && !writes->empty() && owner_of(program, (*writes)[0].buffer).has_value();
}

/// Mostly of a block that fills what others in its loop read, after it has been put there.
void propose_double_buffer(RandomSteps& steps) {
  any_place(steps);
  std::vector<Path> likely;
  const std::vector<Place> in_sequences = places(steps.program());
  for (const Path& path : all_blocks(steps.program()))
    if (std::any_of(in_sequences.begin(), in_sequences.end(),
                    [&](const Place& place) { return place.block == path.block().name; }) &&
        fills_a_buffer(steps.program(), path))
      likely.push_back(path);
  if (likely.empty() && steps.random().chance(0.9)) return;
  const bool any = likely.empty() || steps.random().chance(0.03);
  const auto block = any ? steps.any_block() : steps.block_at_end(steps.random().pick(likely));
  if (block) steps.attempt(DoubleBuffer{*block, steps.random().chance(0.03) ? 1 : 0});
}

}  // namespace

std::vector<Proposer> pipeline_proposers() {
  return {{1.7, propose_software_pipeline}, {2.3, propose_double_buffer}};
}

}  // namespace ardea::schedule
