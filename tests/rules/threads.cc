#include <gtest/gtest.h>

#include <algorithm>

#include "ardea/ir/equal.h"
#include "ardea/ops/registry.h"
#include "ardea/rules/program_space.h"
#include "ardea/rules/witnesses.h"
#include "ardea/schedule/trace.h"
#include "ardea/support/error.h"
#include "ardea/support/timings.h"

/// Several threads make the sketches of a space: the same sketches, in the same order, with the same points.

namespace ardea::rules {

namespace {

struct MadeByThreads {
  std::string op;
  std::vector<std::int64_t> sizes;
  std::string target;
};

class SpaceByThreads : public ::testing::TestWithParam<MadeByThreads> {};

TEST_P(SpaceByThreads, is_the_same_whatever_their_number) {
  const auto& [op, sizes, name] = GetParam();
  const Function program = ops::create_function(ops::make_workload({.op = op, .sizes = sizes}));
  const target::Target target = target::find(name);
  const ProgramSpace alone = program_space(program, target, rules_for(target), {.threads = 1});
  ASSERT_GT(alone.sketches.size(), 3U);
  const ProgramSpace together = program_space(program, target, rules_for(target), {.threads = 3});
  ASSERT_EQ(together.sketches.size(), alone.sketches.size());
  EXPECT_EQ(together.not_followed, alone.not_followed);
  for (std::size_t i = 0; i < alone.sketches.size(); ++i) {
    const Sketch &one = alone.sketches[i].sketch, &other = together.sketches[i].sketch;
    SCOPED_TRACE(to_string(one.ways));
    EXPECT_EQ(to_string(other.ways), to_string(one.ways));
    EXPECT_TRUE(other.system == one.system);
    EXPECT_EQ(print(other.trace), print(one.trace));
    EXPECT_EQ(first_difference(other.symbolic, one.symbolic), "");
    EXPECT_EQ(other.model, one.model);
    EXPECT_EQ(other.deferred.size(), one.deferred.size());
    EXPECT_EQ(together.sketches[i].solver->why(), alone.sketches[i].solver->why());
  }
  ASSERT_EQ(together.left_out.size(), alone.left_out.size());
  for (std::size_t i = 0; i < alone.left_out.size(); ++i)
    EXPECT_EQ(together.left_out[i].reason, alone.left_out[i].reason);
  const std::vector<Choice> ours = alone.sample(40, 5).choices, theirs = together.sample(40, 5).choices;
  ASSERT_EQ(theirs.size(), ours.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_EQ(theirs[i].sketch, ours[i].sketch);
    EXPECT_EQ(theirs[i].point, ours[i].point);
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, SpaceByThreads,
                         ::testing::Values(MadeByThreads{"gemm", {31, 17, 23}, "avx2"},
                                           MadeByThreads{"softmax", {12, 200}, "neoverse-v1"},
                                           MadeByThreads{"matmul_exp_matmul", {7, 5, 11, 3}, "avx2"}),
                         [](const auto& made) { return made.param.op; });

/// Six questions, each a mark on a loop: 64 ways, of which those with the third and the fourth are refused.
Rule marks() {
  const auto is_open = [](const Derivation& d, const BlockRef& stage) { return !d.is_finished(stage); };
  return {.name = "marks", .doc = "", .applies = is_open, .apply = [](Derivation& d, const BlockRef& stage) {
            const LoopRef loop = d.steps().get_loops(stage)[0];
            std::size_t marked = 0;
            for (const char* mark : {"a", "b", "c", "d", "e", "f"}) {
              if (!d.whether(mark, false)) continue;
              d.steps().annotate(loop, mark, 1);
              marked += *mark == 'c' || *mark == 'd' ? 1 : 0;
              require(marked < 2, "c and d");
            }
            d.finish(stage);
          }};
}

TEST(SpaceOfRules, has_the_ways_that_leave_the_models_least_often_and_no_more_than_it_may) {
  const Function program = ops::create_function(ops::make_workload({.op = "relu", .sizes = {12, 4}}));
  for (const int threads : {1, 4}) {
    const ProgramSpace space = program_space(program, target::find("avx2"), {marks()}, {.threads = threads});
    ASSERT_EQ(space.sketches.size(), 32U);
    EXPECT_GT(space.not_followed, 0U);
    std::size_t before = 0;
    for (const SolvedSketch& one : space.sketches) {
      const auto left =
          static_cast<std::size_t>(std::count_if(one.sketch.ways.begin(), one.sketch.ways.end(),
                                                 [](const Way& way) { return way.taken != way.model; }));
      EXPECT_LE(before, left);
      before = left;
    }
    // After the model's, those that leave it once: at the last question before at the first.
    for (std::size_t i = 1; i <= 6; ++i) {
      const Way& left = space.sketches[i].sketch.ways[6 - i];
      EXPECT_NE(left.taken, left.model) << "sketch " << i;
    }
    ASSERT_FALSE(space.left_out.empty());
    EXPECT_EQ(space.left_out[0].reason, "c and d");
  }
}

/// Two sketches of a product, which differ in what threads share, the last question.
struct TwoSketches {
  Sketch first, second;
};

TwoSketches two_sketches() {
  const Function program = ops::create_function(ops::make_workload({.op = "gemm", .sizes = {256, 256, 256}}));
  const target::Target target = target::find("avx2");
  const RuleSet rules = rules_for(target);
  Derivation d(program, target, std::vector<std::size_t>());
  derive(d, rules);
  std::vector<std::size_t> other;
  for (const Way& way : d.ways()) other.push_back(way.taken);
  other.back() = other.back() == 0 ? 1 : 0;
  Derivation e(program, target, other, d.steps().history());
  derive(e, rules);
  return {make_sketch(program, d), make_sketch(program, e)};
}

std::size_t steps_run(const Timings& timings) {
  std::size_t run = 0;
  for (const Timings::Section& section : timings.sections())
    run += section.part == "schedule" && section.name != "begin" ? 1 : 0;
  return run;
}

TEST(Witnesses, of_sketches_that_begin_alike_take_their_first_steps_once) {
  const auto [first, second] = two_sketches();
  const space::Solver one(first.system), other(second.system);
  // Points that the second sketch would not draw for itself.
  const std::vector<Replayed> tried = judge_at(first, one.sample(2, 99).points);
  ASSERT_EQ(tried.size(), 2U);
  std::size_t anew = 0, continued = 0;
  {
    const Timings timings;
    judge(second, other);
    anew = steps_run(timings);
  }
  std::vector<Replayed> again;
  {
    const Timings timings;
    again = judge(second, other, tried);
    continued = steps_run(timings);
  }
  EXPECT_LT(continued, anew / 2);
  // They are solutions of their own sketch, and replays of it.
  ASSERT_EQ(again.size(), 2U);
  for (std::size_t i = 0; i < again.size(); ++i) {
    for (const schedule::Knob& knob : second.knobs) {
      ASSERT_TRUE(again[i].numbers.contains(knob.var));
      if (tried[i].numbers.contains(knob.var)) {
        EXPECT_EQ(again[i].numbers.at(knob.var), tried[i].numbers.at(knob.var)) << knob.var.name();
      }
    }
    EXPECT_EQ(again[i].steps.size(), second.trace.instructions.size());
  }
}

}  // namespace

}  // namespace ardea::rules
