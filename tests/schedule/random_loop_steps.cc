#include <algorithm>

#include "ardea/schedule/fuse.h"
#include "ardea/schedule/reorder.h"
#include "ardea/schedule/split.h"
#include "tests/schedule/random_steps.h"

namespace ardea::schedule {

namespace {

void propose_split(RandomSteps& steps) {
  Random& random = steps.random();
  const std::vector<LoopRef> loops = steps.any_loops();
  if (loops.empty()) return;
  Split split{random.pick(loops), {}};
  const std::int64_t parts = random.integer(1, 3), open = random.integer(-1, parts - 1);
  for (std::int64_t i = 0; i < parts; ++i) {
    if (i == open)
      split.factors.emplace_back();
    else
      split.factors.emplace_back(random.integer(random.chance(0.05) ? -1 : 1, 5));
  }
  split.preserve_unit_iters = random.chance(0.5);
  split.disable_predication = random.chance(0.1);
  if (random.chance(0.3)) split.tail = "cut";
  steps.attempt(split);
}

void propose_fuse(RandomSteps& steps) {
  Random& random = steps.random();
  const std::vector<LoopRef> loops = steps.any_loops();
  if (loops.size() < 2) return;
  const auto count = static_cast<std::int64_t>(loops.size());
  const std::int64_t first = random.integer(0, count - 2),
                     last = std::min(count, first + random.integer(2, 3));
  steps.attempt(Fuse{{loops.begin() + first, loops.begin() + last}});
}

void propose_reorder(RandomSteps& steps) {
  Random& random = steps.random();
  std::vector<LoopRef> loops = steps.any_loops();
  if (loops.empty()) return;
  for (std::size_t k = loops.size(); k > 1; --k)
    std::swap(loops[k - 1],
              loops[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(k) - 1))]);
  loops.resize(static_cast<std::size_t>(random.integer(1, static_cast<std::int64_t>(loops.size()))));
  steps.attempt(Reorder{loops});
}

}  // namespace

std::vector<Proposer> loop_proposers() {
  return {{3, propose_split}, {1, propose_fuse}, {3, propose_reorder}};
}

}  // namespace ardea::schedule
