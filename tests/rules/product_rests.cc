#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ardea/lower/pipeline.h"
#include "ardea/ops/registry.h"
#include "ardea/rules/program_space.h"
#include "tests/rules/answers.h"
#include "tests/rules/laws.h"
#include "tests/support/sampled.h"

/// What tiles of products leave over: under a guard, cut off, or padded.

namespace ardea::rules {

namespace {

struct OddProduct {
  const char* op;
  std::vector<std::int64_t> sizes;
  const char* target;
  bool transpose_b = false;
  DataType out = no_type;
};

Function odd_product(const OddProduct& asked) {
  return ops::create_function(ops::make_workload(
      {.op = asked.op, .sizes = asked.sizes, .out = asked.out, .transpose_b = asked.transpose_b}));
}

ProgramSpace space_of(const OddProduct& asked) {
  target::Target target = target::find(asked.target);
  target.cores = 1;
  return program_space(odd_product(asked), target, rules_for(target));
}

/// The answer to what is left over; empty where that was not asked.
std::string rest_of(const Sketch& sketch) {
  for (const Way& way : sketch.ways)
    if (way.question.ends_with(" left over")) return way.answers[way.taken];
  return "";
}

std::set<std::string> rests_of(const ProgramSpace& space) {
  std::set<std::string> all;
  for (const SolvedSketch& solved : space.sketches) all.insert(rest_of(solved.sketch));
  return all;
}

const std::set<std::string> every_rest = {"guarded",     "rows cut",       "columns cut", "both cut",
                                          "rows padded", "columns padded", "both padded"};

class ProductRests : public testing::TestWithParam<OddProduct> {};

TEST_P(ProductRests, are_right_in_every_way) {
  const ProgramSpace space = space_of(GetParam());
  for (const LeftOut& out : space.left_out) ADD_FAILURE() << to_string(out.ways) << ": " << out.reason;
  EXPECT_EQ(rests_of(space), every_rest);
  const Answers answers(space.program);
  for (const auto& [sketch, solver] : space.sketches) {
    if (rest_of(sketch) == "guarded") continue;
    EXPECT_TRUE(sketch.model.has_value()) << to_string(sketch.ways);
    for (const space::Point& point : solver->sample(2, 3).points) {
      SCOPED_TRACE(in_words(sketch, point));
      const Function replayed = replayed_by_the_law(sketch, point);
      answers.expect_of(replayed);
      answers.expect_of(lower::lower_unpacked(replayed, space.target));
    }
    expect_nothing_lost(sketch, space.target, 8);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ProductRests,
    testing::ValuesIn(test::sampled<OddProduct>(2, {OddProduct{"gemm", {31, 7, 23}, "generic-x86_64"},
                                                    OddProduct{"gemm", {29, 5, 23}, "neoverse-v1", true},
                                                    OddProduct{"bmm", {2, 29, 3, 23}, "neoverse-v1"}})),
    [](const auto& info) { return std::string(info.param.op) + (info.param.transpose_b ? "_tb" : ""); });

/// A result that is made of the sums in registers is made of padded ones, too; nothing is cut off from it.
TEST(ProductRest, of_results_made_in_registers_is_padded) {
  const ProgramSpace space = space_of({"gemm", {31, 7, 23}, "generic-x86_64", false, float64});
  std::set<std::string> whole;
  const Answers answers(space.program);
  for (const auto& [sketch, solver] : space.sketches) {
    if (sketch.ways[0].answers[sketch.ways[0].taken] != "yes") continue;
    whole.insert(rest_of(sketch));
    const space::Point point = solver->sample(1, 3).points.at(0);
    SCOPED_TRACE(in_words(sketch, point));
    answers.expect_of(lower::lower_unpacked(replayed_by_the_law(sketch, point), space.target));
  }
  EXPECT_EQ(whole, (std::set<std::string>{"guarded", "rows padded", "columns padded", "both padded"}));
}

TEST(ProductRest, is_no_question_where_tiles_divide_and_in_chains) {
  const auto asks = [](const OddProduct& asked) {
    const target::Target target = target::find(asked.target);
    Derivation d(odd_product(asked), target, std::vector<std::size_t>{});
    derive(d, rules_for(target));
    return std::any_of(d.ways().begin(), d.ways().end(),
                       [](const Way& way) { return way.answers.back() == "both cut"; });
  };
  EXPECT_TRUE(asks({"gemm", {31, 7, 23}, "generic-x86_64"}));
  EXPECT_FALSE(asks({"gemm", {56, 8, 48}, "neoverse-v1"}));
  EXPECT_FALSE(asks({"matmul_exp_matmul", {31, 7, 23, 13}, "generic-x86_64"}));
}

/// Tiles that leave nothing over belong to the guarded ones: no program is two points.
TEST(ProductRest, is_never_empty) {
  const ProgramSpace space = space_of({"gemm", {30, 4, 22}, "generic-x86_64"});
  for (const auto& [sketch, solver] : space.sketches) {
    const std::string rest = rest_of(sketch);
    const auto none_divides = [&](const char* knob, std::int64_t extent) {
      for (const std::int64_t tile : sketch.system[sketch.system.get(knob)].domain.values())
        EXPECT_NE(extent % tile, 0) << rest << " " << tile;
    };
    if (rest == "guarded" || rest.empty()) continue;
    if (!rest.starts_with("columns")) none_divides("C_rows", 30);
    if (!rest.starts_with("rows")) none_divides("C_columns", 22);
  }
}

}  // namespace

}  // namespace ardea::rules
