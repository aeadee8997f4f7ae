#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/sample/sample.h"
#include "ardea/schedule/primitives/sample/sample_compute_location.h"
#include "tests/schedule/campaign/random_steps.h"

namespace ardea::schedule {

namespace {

void propose_perfect_tile(RandomSteps& steps) {
  Random& random = steps.random();
  const std::vector<LoopRef> loops = steps.any_loops();
  if (loops.empty()) return;
  const LoopRef loop = random.pick(loops);
  Split split{loop, {}};
  for (const Reference& factor :
       steps.attempt(SamplePerfectTile{loop, random.integer(1, 4), random.chance(0.2) ? 2 : 16, {}}))
    split.factors.emplace_back(std::get<NumberRef>(factor));
  if (!split.factors.empty()) steps.attempt(split);
}

void propose_categorical(RandomSteps& steps) {
  Random& random = steps.random();
  const std::vector<LoopRef> loops = steps.any_loops();
  if (loops.empty()) return;
  const auto chosen =
      steps.attempt(SampleCategorical{{1, 2, 3, 4}, {0.25, 0.25, 0.25, random.chance(0.1) ? -1 : 0.25}, {}});
  if (!chosen.empty())
    steps.attempt(Split{random.pick(loops), {std::nullopt, std::get<NumberRef>(chosen[0])}});
}

void propose_location(RandomSteps& steps) {
  const auto block = steps.any_block();
  if (!block) return;
  const auto place = steps.attempt(SampleComputeLocation{*block});
  if (!place.empty())
    steps.attempt(ComputeAt{*block, std::get<LoopRef>(place[0]), steps.random().chance(0.3)});
}

}  // namespace

std::vector<Proposer> sampling_proposers() {
  return {{1, propose_perfect_tile}, {1, propose_categorical}, {1, propose_location}};
}

}  // namespace ardea::schedule
