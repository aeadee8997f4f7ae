#include <gtest/gtest.h>

#include <algorithm>

#include "ardea/ir/equal.h"
#include "ardea/ops/registry.h"
#include "ardea/rules/program_space.h"
#include "ardea/schedule/trace.h"
#include "ardea/support/timings.h"

/// Sketches that begin with the same ways take their first steps once.

namespace ardea::rules {

namespace {

Function product() { return ops::create_function(ops::make_workload({.op = "gemm", .sizes = {24, 20, 36}})); }

TEST(SharedPrefixes, give_the_sketches_that_each_way_gives_by_itself) {
  const Function program = product();
  const target::Target target = target::find("avx2");
  const RuleSet rules = rules_for(target);
  const ProgramSpace space = program_space(program, target, rules);
  ASSERT_GT(space.sketches.size(), 3U);
  for (const SolvedSketch& shared : space.sketches) {
    std::vector<std::size_t> ways;
    for (const Way& way : shared.sketch.ways) ways.push_back(way.taken);
    Derivation d(program, target, ways);
    derive(d, rules);
    const Sketch alone = make_sketch(program, d);
    SCOPED_TRACE(to_string(shared.sketch.ways));
    EXPECT_TRUE(alone.system == shared.sketch.system);
    EXPECT_EQ(print(alone.trace), print(shared.sketch.trace));
    EXPECT_EQ(first_difference(alone.symbolic, shared.sketch.symbolic), "");
    EXPECT_EQ(alone.model, shared.sketch.model);
  }
}

TEST(SharedPrefixes, run_once) {
  const Function program = product();
  const target::Target target = target::find("avx2");
  std::size_t run = 0, taken = 0;
  schedule::Schedule::History past;
  const Timings timings;
  for (const std::size_t way : {0, 1}) {
    Derivation d(program, target, {way}, past);
    const schedule::BlockRef c = d.steps().get_block("C");
    const std::vector<LoopRef> loops = d.steps().get_loops(c);
    const Number factor = d.number("width", {2, 4}, 4);
    d.steps().split(loops[0], {schedule::none, d.follows(value_of(factor) * make_int(2))});
    if (d.way("marked", {"no", "yes"}, 0) == 1) d.steps().annotate(loops[1], "mark", 1);
    past = d.steps().history();
    taken += d.steps().trace().instructions.size();
  }
  for (const Timings::Section& section : timings.sections())
    run += section.part == "schedule" && section.name != "begin" ? 1 : 0;
  EXPECT_EQ(taken, 11U);
  EXPECT_EQ(run, 6U);  // five that both take, and the mark
}

TEST(SharedPrefixes, end_where_a_step_has_another_number) {
  const Function program = product();
  schedule::Schedule first(program);
  first.follow({});
  const std::vector<LoopRef> loops = first.get_loops(first.get_block("C"));
  first.split(loops[0], {schedule::none, 4});
  schedule::Schedule second(program);
  second.follow(first.history());
  const std::vector<LoopRef> again = second.get_loops(second.get_block("C"));
  ASSERT_TRUE(again[0] == loops[0]);
  const std::vector<LoopRef> parts = second.split(again[0], {schedule::none, 8});
  second.split(again[1], {schedule::none, 4});
  schedule::Schedule plain(program);
  const std::vector<LoopRef> own = plain.get_loops(plain.get_block("C"));
  plain.split(own[0], {schedule::none, 8});
  plain.split(own[1], {schedule::none, 4});
  EXPECT_EQ(first_difference(second.program(), plain.program()), "");
  EXPECT_EQ(print(second.trace()), print(plain.trace()));
  // What the followed steps did away with is gone here, too.
  schedule::Schedule third(program);
  third.follow(first.history());
  third.get_loops(third.get_block("C"));
  third.split(again[0], {schedule::none, 4});
  std::string reason;
  try {
    third.parallel(again[0]);
  } catch (const schedule::Refused& refused) {
    reason = refused.what();
  }
  EXPECT_NE(reason.find("is gone: step 3, split("), std::string::npos) << reason;
}

}  // namespace

}  // namespace ardea::rules
