#include "ardea/schedule/mark.h"
#include "tests/schedule/random_steps.h"

namespace ardea::schedule {

namespace {

/// The mark on a random loop.
template <class Mark>
void propose(RandomSteps& steps) {
  const std::vector<LoopRef> loops = steps.any_loops();
  if (!loops.empty()) steps.attempt(Mark{steps.random().pick(loops)});
}

void propose_annotate(RandomSteps& steps) {
  const std::vector<LoopRef> loops = steps.any_loops();
  if (!loops.empty()) steps.attempt(AnnotateLoop{steps.random().pick(loops), "pragma_test", 3});
}

}  // namespace

std::vector<Proposer> mark_proposers() {
  return {{1, propose<Parallel>}, {1, propose<Vectorize>}, {1, propose<Unroll>}, {0.3, propose_annotate}};
}

}  // namespace ardea::schedule
