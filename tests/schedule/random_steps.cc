#include "tests/schedule/random_steps.h"

#include <algorithm>

#include "ardea/schedule/find.h"
#include "ardea/schedule/fuse.h"
#include "ardea/schedule/mark.h"
#include "ardea/schedule/reorder.h"
#include "ardea/schedule/split.h"
#include "ardea/schedule/tree.h"

namespace ardea::schedule {

namespace {

/// The loops around a random block, asked for as a user would: by its name. None where the name is not
/// unique.
std::vector<LoopRef> random_loops(Schedule& schedule, Random& random, StepCounts& counts) {
  const std::vector<Path> blocks = all_blocks(schedule.program());
  if (blocks.empty()) return {};
  try {
    const BlockRef block = schedule.get_block(block_at(random.pick(blocks)).name);
    ++counts[GetBlock::name].applied;
    return schedule.get_loops(block);
  } catch (const Error&) {
    ++counts[GetBlock::name].refused;
    return {};
  }
}

template <class Step>
void attempt(Schedule& schedule, const Step& step, StepCounts& counts) {
  try {
    schedule.apply(step);
    ++counts[Step::name].applied;
  } catch (const Error& refusal) {
    ++counts[Step::name].refused;
    if (std::string(refusal.what()).find(Step::name) != 0)
      throw InternalError(std::string("a refusal does not begin with its call: ") + refusal.what());
  }
}

Split random_split(const LoopRef& loop, Random& random) {
  Split split{loop, {}};
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
  return split;
}

}  // namespace

void take_random_steps(Schedule& schedule, Random& random, int steps, StepCounts& counts) {
  for (int i = 0; i < steps; ++i) {
    std::vector<LoopRef> loops = random_loops(schedule, random, counts);
    if (loops.empty()) continue;
    const LoopRef loop = random.pick(loops);
    switch (random.integer(0, 9)) {
      case 0:
      case 1:
      case 2: attempt(schedule, random_split(loop, random), counts); break;
      case 3: {
        const auto first =
            static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(loops.size()) - 1));
        const auto last = std::min(loops.size(), first + static_cast<std::size_t>(random.integer(1, 3)));
        attempt(schedule,
                Fuse{{loops.begin() + static_cast<std::ptrdiff_t>(first),
                      loops.begin() + static_cast<std::ptrdiff_t>(last)}},
                counts);
        break;
      }
      case 4:
      case 5:
      case 6: {
        for (std::size_t k = loops.size(); k > 1; --k)
          std::swap(loops[k - 1],
                    loops[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(k) - 1))]);
        loops.resize(static_cast<std::size_t>(random.integer(1, static_cast<std::int64_t>(loops.size()))));
        attempt(schedule, Reorder{loops}, counts);
        break;
      }
      case 7: attempt(schedule, Parallel{loop}, counts); break;
      case 8: attempt(schedule, Vectorize{loop}, counts); break;
      default:
        if (random.chance(0.7))
          attempt(schedule, Unroll{loop}, counts);
        else
          attempt(schedule, AnnotateLoop{loop, "pragma_test", 3}, counts);
    }
  }
}

}  // namespace ardea::schedule
