#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "ardea/arith/load.h"
#include "ardea/lower/pipeline.h"
#include "ardea/ops/open_sizes.h"
#include "ardea/rules/analysis/row_nest.h"
#include "ardea/rules/analysis/windowed_sum.h"
#include "ardea/rules/program_space.h"
#include "ardea/schedule/program/tree.h"
#include "tests/rules/answers.h"
#include "tests/rules/laws.h"
#include "tests/support/sampled.h"

/// Spaces of programs one of whose sizes only a call knows: every point is right for all of them.

namespace ardea::rules {

namespace {

struct AnyLength {
  const char* program;  ///< a file, or an operator with its sizes
  const char* size;     ///< that a call knows
  const char* target = "avx2";
  int cores = 1;  ///< more of them double the ways
};

Function any_length_program(const std::string& name) {
  if (const auto at = name.find(' '); at != std::string::npos)
    return ops::create_function(
        ops::open_workload({.op = name.substr(0, at), .sizes = {}}, name.substr(at + 1)));
  return arith::load_file(ARDEA_SOURCE_DIR "/tests/fixtures/any_length/" + name + ".tir").functions[0];
}

class AnyLengthSpaces : public testing::TestWithParam<AnyLength> {};

TEST_P(AnyLengthSpaces, have_programs_that_are_right_for_all_sizes) {
  const auto& [named, size, name, cores] = GetParam();
  target::Target target = target::find(name);
  target.cores = cores;
  const Function program = any_length_program(named);
  const ProgramSpace space = program_space(program, target, rules_for(target));
  for (const LeftOut& out : space.left_out) ADD_FAILURE() << to_string(out.ways) << ": " << out.reason;
  std::vector<Answers> calls;
  for (const std::int64_t length : {1, 37})
    calls.emplace_back(program, std::map{std::pair(std::string(size), length)});
  for (const auto& [sketch, solver] : space.sketches) {
    EXPECT_TRUE(sketch.model.has_value()) << to_string(sketch.ways);
    const bool has_windows = std::string(named).find(' ') != std::string::npos;
    EXPECT_TRUE(sketch.deferred.empty() || has_windows) << to_string(sketch.ways);
    for (const space::Point& point : solver->sample(1, 3).points) {
      SCOPED_TRACE(in_words(sketch, point));
      const Function replayed = replayed_by_the_law(sketch, point);
      // Both sizes meet both forms, each in every other sketch.
      std::swap(calls[0], calls[1]);
      calls[0].expect_of(replayed);
      calls[1].expect_of(lower::lower_unpacked(replayed, target));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, AnyLengthSpaces,
                         testing::ValuesIn(test::sampled<AnyLength>(
                             4, {AnyLength{"relu_rows", "m", "avx2", 2}, AnyLength{"add_elements", "n"},
                                 AnyLength{"softmax_rows", "m", "neoverse-v1", 2},
                                 AnyLength{"gemm_rows", "m", "avx2", 2},
                                 AnyLength{"gemm_columns", "n", "neoverse-v1"}, AnyLength{"gemm_sums", "k"},
                                 AnyLength{"gemm_bias_relu_rows", "m", "neoverse-v1"}})),
                         [](const auto& info) { return std::string(info.param.program); });

INSTANTIATE_TEST_SUITE_P(
    Windows, AnyLengthSpaces,
    testing::ValuesIn(test::sampled<AnyLength>(
        3, {AnyLength{"c2d n,5,7,2,3,3,3,1,1,1", "n"},
            AnyLength{"c2d n,5,7,2,3,3,3,2,0,1", "n", "neoverse-v1", 2},
            AnyLength{"conv_bn_relu n,4,5,3,2,3,3,1,1,1", "n"}, AnyLength{"depthwise n,5,5,3,3,3,1,1", "n"},
            AnyLength{"grouped n,5,5,4,6,3,3,1,1,1,2", "n"}})),
    [](const auto& info) {
      std::string name = info.param.program;
      std::replace_if(name.begin(), name.end(), [](char c) { return c == ' ' || c == ','; }, '_');
      return name;
    });

/// Tiles of sums are registers whatever the size at the call is, also those of one row.
TEST(AnyLength, has_tiles_of_one_row) {
  const target::Target target = target::find("avx2");
  const Function program = any_length_program("gemm_rows");
  const ProgramSpace space = program_space(program, target, rules_for(target));
  const Answers answers(program, std::map{std::pair(std::string("m"), std::int64_t{7})});
  for (const auto& [sketch, solver] : space.sketches) {
    const space::Var rows = sketch.system.get("C_rows");
    const auto one = solver->solve({{"one row", "", {}, space::Member{rows, space::Domain::of({1})}}}, 3);
    ASSERT_FALSE(one.point.empty()) << to_string(sketch.ways);
    SCOPED_TRACE(in_words(sketch, one.point));
    answers.expect_of(lower::lower_unpacked(replayed_by_the_law(sketch, one.point), target));
  }
}

/// Of a copy of panels of one column each it is not proved that it has one, too.
TEST(AnyLength, has_no_tiles_of_one_column) {
  const target::Target target = target::find("avx2");
  const Function program = any_length_program("gemm_columns");
  Derivation d(program, target, std::vector<std::size_t>{});
  derive(d, rules_for(target));
  const Sketch sketch = make_sketch(program, d);
  EXPECT_GE(sketch.system[sketch.system.get("C_columns")].domain.values().front(), 2);
}

/// The panels of the right operand may be made at two places, and both are right.
TEST(PanelPlaces, are_right_for_a_block_of_columns_and_of_steps) {
  target::Target target = target::find("avx2");
  target.cores = 1;
  const Function program = ops::create_function(ops::make_workload({.op = "gemm", .sizes = {13, 5, 11}}));
  const ProgramSpace space = program_space(program, target, rules_for(target));
  const Answers answers(program);
  std::set<std::string> places;
  for (const auto& [sketch, solver] : space.sketches)
    for (const Way& way : sketch.ways) {
      if (way.question != "panels of B made for") continue;
      places.insert(way.answers[way.taken]);
      for (const space::Point& point : solver->sample(2, 3).points) {
        SCOPED_TRACE(in_words(sketch, point));
        answers.expect_of(lower::lower_unpacked(replayed_by_the_law(sketch, point), target));
      }
    }
  EXPECT_EQ(places, (std::set<std::string>{"a block of columns", "a block of steps"}));
}

/// Two sizes of a call are two, though models take both for the same number.
TEST(AnyLength, tells_sizes_of_a_call_apart) {
  const Var m("m"), n("n");
  EXPECT_TRUE(are_one_length(m, m));
  EXPECT_FALSE(are_one_length(m, n));
  EXPECT_FALSE(are_one_length(m, make_int(typical_length)));
  EXPECT_FALSE(are_one_length(make_int(typical_length), m));
  EXPECT_TRUE(are_one_length(make_int(3), make_int(3)));
}

/// Rules for columns and instructions count on numbers, and those for windows, except of images.
TEST(AnyLength, is_not_given_to_rules_that_count_on_numbers) {
  const Function program = any_length_program("relu_rows");
  const auto blocks = schedule::all_blocks(program);
  const schedule::BlockRef stage{blocks.front().block().id};
  EXPECT_FALSE(plain_stage(program, stage).has_value());
  const auto found = plain_stage(program, stage, Lengths::any);
  ASSERT_TRUE(found.has_value());
  EXPECT_FALSE(found->is_known(0));
  EXPECT_TRUE(found->is_known(1));
  EXPECT_EQ(found->extents, (std::vector<std::int64_t>{typical_length, 53}));
  const auto has_windows = [](const std::string& named) {
    const Function convolution = any_length_program(named);
    const auto stages = schedule::all_blocks(convolution);
    return windowed_sum(convolution, {stages.front().block().id}).has_value();
  };
  EXPECT_TRUE(has_windows("c2d n,5,7,2,3,3,3,1,0,1"));
  EXPECT_FALSE(has_windows("c2d 1,h,7,2,3,3,3,1,0,1"));
  EXPECT_FALSE(has_windows("c2d 1,5,7,c,3,3,3,1,0,1"));
}

}  // namespace

}  // namespace ardea::rules
