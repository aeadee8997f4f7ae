#include "ardea/schedule/primitives/find/as_template.h"
#include "ardea/schedule/primitives/find/find.h"
#include "tests/schedule/campaign/random_steps.h"

namespace ardea::schedule {

namespace {

/// Asks for the neighbours of a random block, the root block among them.
template <class Find>
void propose_find(RandomSteps& steps) {
  const auto block = steps.random().chance(0.1) ? steps.block_called("root") : steps.any_block();
  if (block) steps.attempt(Find{*block});
}

}  // namespace

std::vector<Proposer> find_proposers() {
  return {{0.75, propose_find<GetProducers>},
          {0.75, propose_find<GetConsumers>},
          {0.75, propose_find<GetChildBlocks>},
          {0.5, [](RandomSteps& steps) { steps.attempt(AsTemplate{}); }}};
}

}  // namespace ardea::schedule
