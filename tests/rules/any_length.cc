#include <gtest/gtest.h>

#include "ardea/arith/load.h"
#include "ardea/lower/pipeline.h"
#include "ardea/rules/analysis/row_nest.h"
#include "ardea/rules/program_space.h"
#include "ardea/schedule/program/tree.h"
#include "tests/rules/answers.h"
#include "tests/rules/laws.h"

/// Spaces of programs one of whose sizes only a call knows: every point is right for all of them.

namespace ardea::rules {

namespace {

struct AnyLength {
  const char* file;
  const char* size;  ///< that a call knows
  const char* target = "avx2";
  int cores = 1;  ///< more of them double the ways
};

Function any_length_program(const std::string& name) {
  return arith::load_file(ARDEA_SOURCE_DIR "/tests/fixtures/any_length/" + name + ".tir").functions[0];
}

class AnyLengthSpaces : public testing::TestWithParam<AnyLength> {};

TEST_P(AnyLengthSpaces, have_programs_that_are_right_for_all_sizes) {
  const auto& [file, size, name, cores] = GetParam();
  target::Target target = target::find(name);
  target.cores = cores;
  const Function program = any_length_program(file);
  const ProgramSpace space = program_space(program, target, rules_for(target));
  for (const LeftOut& out : space.left_out) ADD_FAILURE() << to_string(out.ways) << ": " << out.reason;
  std::vector<Answers> calls;
  for (const std::int64_t length : {1, 37})
    calls.emplace_back(program, std::map{std::pair(std::string(size), length)});
  for (const auto& [sketch, solver] : space.sketches) {
    EXPECT_TRUE(sketch.model.has_value()) << to_string(sketch.ways);
    EXPECT_TRUE(sketch.deferred.empty()) << to_string(sketch.ways);
    for (const space::Point& point : solver->sample(1, 3).points) {
      SCOPED_TRACE(in_words(sketch, point));
      const Function replayed = replayed_by_the_law(sketch, point);
      const Function lowered = lower::lower_unpacked(replayed, target);
      for (const Answers& answers : calls) {
        answers.expect_of(replayed);
        answers.expect_of(lowered);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, AnyLengthSpaces,
    testing::Values(AnyLength{"relu_rows", "m", "avx2", 2}, AnyLength{"add_elements", "n"},
                    AnyLength{"softmax_rows", "m", "neoverse-v1", 2}, AnyLength{"gemm_rows", "m", "avx2", 2},
                    AnyLength{"gemm_columns", "n", "neoverse-v1"}, AnyLength{"gemm_sums", "k"},
                    AnyLength{"gemm_bias_relu_rows", "m", "neoverse-v1"}),
    [](const auto& info) { return std::string(info.param.file); });

/// Tiles of sums are registers whatever the size at the call is: a tile of one row is not proved to be.
TEST(AnyLength, keeps_tiles_that_are_registers) {
  const target::Target target = target::find("avx2");
  const ProgramSpace space = program_space(any_length_program("gemm_rows"), target, rules_for(target));
  for (const auto& [sketch, solver] : space.sketches) {
    const space::System& system = sketch.system;
    EXPECT_EQ(system[system.get("C_rows")].domain.values().front(), 2) << to_string(sketch.ways);
  }
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

/// Rules for convolutions, columns and instructions count on numbers.
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
}

}  // namespace

}  // namespace ardea::rules
