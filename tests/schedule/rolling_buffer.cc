#include "ardea/schedule/primitives/memory/rolling_buffer.h"

#include <gtest/gtest.h>

#include "ardea/arith/verify.h"
#include "ardea/ir/print.h"
#include "ardea/lower/pipeline.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/program/scope.h"
#include "tests/schedule/campaign/check_schedule.h"
#include "tests/schedule/campaign/window_chain.h"
#include "tests/support/sampled.h"

/// Sliding windows in random chains of stencils, strides, dilations, held and mirrored borders, symbolic
/// sizes.

namespace ardea::schedule {
namespace {

/// What the step gives; nothing where it is refused.
template <class Step>
std::optional<std::vector<Reference>> taken(Schedule& schedule, const Step& step) {
  try {
    return schedule.apply(step);
  } catch (const Refused&) {
    return std::nullopt;
  }
}

/// Computes a stage at a loop of one of its readers, some loops cut into tiles before, and rolls its buffer;
/// later stages first. How many roll.
int roll_all(Schedule& schedule, Random& random) {
  std::vector<std::string> stages;
  for (const Path& path : all_blocks(schedule.program())) stages.insert(stages.begin(), path.block().name);
  int rolled = 0;
  for (const std::string& stage : stages) {
    const BlockRef block = schedule.get_block(stage);
    const std::vector<Path> readers = consumers_of(schedule.program(), *path_to(schedule.program(), block));
    if (readers.empty()) continue;
    const std::vector<LoopRef> loops =
        schedule.get_loops(schedule.get_block(random.pick(readers).block().name));
    if (loops.empty()) continue;
    LoopRef loop = loops[static_cast<std::size_t>(random.integer(0, std::ssize(loops) - 1) / 2)];
    if (random.chance(0.3))
      if (const auto tile = taken(schedule, Split{loop, {std::nullopt, random.integer(2, 4)}}))
        loop = std::get<LoopRef>((*tile)[1]);
    taken(schedule, ComputeAt{block, loop, random.chance(0.2), -1});
    rolled += taken(schedule, RollingBuffer{block}) ? 1 : 0;
  }
  return rolled;
}

TEST(RollingBuffer, keeps_the_answers_of_random_windows) {
  const std::size_t seeds = test::sampled_count(3, 450);
  std::size_t rolled = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Random random(seed);
    const Function original = window_chain(random);
    Schedule schedule(original);
    const int now = roll_all(schedule, random);
    rolled += static_cast<std::size_t>(now);
    if (now == 0) continue;
    EXPECT_NO_THROW(check(original, schedule, seed, seed % 8 == 0))
        << "seed " << seed << "\n"
        << print(original) << print(schedule.trace()) << print(schedule.program());
    // Parts that never run are lawful, too: of the first of several tiles, in what was split off for the
    // others.
    for (const arith::Violation& broken :
         arith::verify(lower::lower(schedule.program(), target::find("generic-x86_64"))))
      ADD_FAILURE() << "seed " << seed << ": " << broken.law << ": " << broken.message;
  }
  EXPECT_GE(rolled, seeds / 5);
}

}  // namespace
}  // namespace ardea::schedule
