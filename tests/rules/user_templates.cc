#include <gtest/gtest.h>

#include "ardea/ir/print.h"
#include "ardea/lower/pipeline.h"
#include "ardea/ops/registry.h"
#include "ardea/rules/define.h"
#include "ardea/rules/program_space.h"
#include "ardea/schedule/trace.h"
#include "ardea/support/text_file.h"
#include "tests/rules/answers.h"
#include "tests/rules/laws.h"

/// Templates that people write, in C++ and as scripts.

namespace ardea::rules {

namespace {

Function gemm_of(std::vector<std::int64_t> sizes) {
  return ops::create_function(ops::make_workload({.op = "gemm", .sizes = std::move(sizes)}));
}

/// Splits, an order, an annotation, a number and a condition between them.
void tiled(Derivation& d) {
  schedule::Schedule& s = d.steps();
  schedule::Config cfg = config(d);
  const auto loops = s.get_loops(s.get_block("C"));
  const auto rows = cfg.define_split("rows", loops[0], 2);
  const auto columns = cfg.define_split("columns", loops[1], 3, {.policy = "padded", .most_innermost = 4});
  const Expr tile = value_of(cfg.factors("rows")[1]) * value_of(cfg.factors("columns")[2]);
  cfg.require(tile <= 12, "the tile is small");
  cfg.define_reorder("order", {rows[0], columns[0]});
  s.reorder(rows[1], loops[2], columns[1], columns[2]);
  cfg.define_annotate("inner", {columns[2]}, "try_both");
}

std::function<void(Derivation&)> example() {
  const std::string file = std::string(ARDEA_SOURCE_DIR) + "/examples/gemm_template.py";
  return steps_of(schedule::parse_steps(read_text_file(file), file));
}

/// Every solution by the law, against the interpreter; so many.
int expect_right_programs(const ProgramSpace& space) {
  const Answers answers(space.program);
  int points = 0;
  for (const auto& [sketch, solver] : space.sketches)
    for (const space::Point& point : solutions_of(sketch.system)) {
      SCOPED_TRACE(in_words(sketch, point));
      answers.expect_of(replayed_by_the_law(sketch, point));
      ++points;
    }
  return points;
}

class UserTemplates : public testing::TestWithParam<std::vector<std::int64_t>> {};

TEST_P(UserTemplates, have_right_programs_only) {
  const target::Target target = target::find("generic-x86_64");
  for (const auto& steps : {std::function<void(Derivation&)>(tiled), example()}) {
    const ProgramSpace space = program_space(gemm_of(GetParam()), target, steps);
    for (const LeftOut& out : space.left_out) ADD_FAILURE() << to_string(out.ways) << ": " << out.reason;
    for (const auto& [sketch, solver] : space.sketches)
      EXPECT_TRUE(sketch.deferred.empty()) << to_string(sketch.ways) << ": " << sketch.deferred[0].fact;
    EXPECT_GE(expect_right_programs(space), 6);
  }
  EXPECT_TRUE(program_space(gemm_of(GetParam()), target, example()).sketches[0].sketch.model.has_value());
}

INSTANTIATE_TEST_SUITE_P(Shapes, UserTemplates,
                         testing::Values(std::vector<std::int64_t>{7, 5, 3},
                                         std::vector<std::int64_t>{1, 1, 1},
                                         std::vector<std::int64_t>{6, 2, 5}));

TEST(UserTemplate, has_a_sketch_for_each_way_and_the_points_that_its_conditions_leave) {
  const target::Target target = target::find("generic-x86_64");
  const ProgramSpace space = program_space(gemm_of({6, 5, 4}), target, tiled);
  EXPECT_EQ(space.sketches.size(), 2U * 3U);
  // rows_1 divides 6, columns_2 is 1, 2 or 4, columns_1 with (columns_1 - 1) * columns_2 < 4, all of 1, 2, 4.
  int expected = 0;
  for (const int rows : {1, 2, 3, 6})
    for (const int inner : {1, 2, 4})
      for (const int outer : {1, 2, 4}) expected += rows * inner <= 12 && (outer - 1) * inner < 4 ? 1 : 0;
  for (const auto& [sketch, solver] : space.sketches)
    EXPECT_EQ(solver->count(1).exact, expected) << to_string(sketch.ways);
  EXPECT_EQ(to_string(space.sketches[0].sketch.ways), "order = m_0, n_0, inner = none");
}

TEST(UserTemplate, says_which_of_its_conditions_stand_against_each_other) {
  const auto contradictory = [](Derivation& d) {
    schedule::Config cfg = config(d);
    const Expr a = value_of(cfg.define_knob("a", {2, 4, 8})), b = value_of(cfg.define_knob("b", {1, 2, 3}));
    cfg.require(a * b <= 12, "a and b share twelve places");
    cfg.require(a >= 8, "vectors are whole");
    cfg.require(b >= 2, "two of them hide the latency");
  };
  try {
    program_space(gemm_of({4, 4, 4}), target::find("generic-x86_64"), contradictory);
    FAIL() << "a space without points was made";
  } catch (const Error& error) {
    const std::string said = error.what();
    for (const char* words : {"a and b share twelve places", "vectors are whole", "hide the latency",
                              "without any one of them the others can"})
      EXPECT_NE(said.find(words), std::string::npos) << said;
  }
}

/// By hand the same script takes its defaults, or draws; what its trace replays to is the same program.
TEST(UserTemplate, runs_by_hand_as_its_trace_does) {
  const Function program = gemm_of({12, 10, 7});
  const std::string file = std::string(ARDEA_SOURCE_DIR) + "/examples/gemm_template.py";
  const auto script = schedule::parse_steps(read_text_file(file), file);
  const Answers answers(program);
  std::set<std::string> programs;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    schedule::Schedule s(program, seed), again(program);
    s.replay(script, seed == 0 ? schedule::Schedule::Decisions::keep : schedule::Schedule::Decisions::draw);
    again.replay(schedule::parse_steps(schedule::print(s.trace()), "trace"));
    EXPECT_EQ(print(again.program()), print(s.program()));
    programs.insert(print(s.program()));
    SCOPED_TRACE(print(s.trace()));
    answers.expect_of(s.program());
  }
  EXPECT_GE(programs.size(), 8U);
}

/// Drawn one by one they would mostly break it.
TEST(UserTemplate, draws_numbers_that_fulfil_its_conditions) {
  const auto script = schedule::parse_steps(R"(i, j, k = sch.get_loops(sch.get_block("C"))
a, b = cfg.define_knob("a", [1, 2, 3, 4, 6, 7]), cfg.define_knob("b", [2, 3, 4, 5, 6, 12])
cfg.require(a * b == 12 and 1 < a < 7, "a dozen is shared")
sch.annotate(i, "dozen", a * b)
)",
                                            "script");
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    schedule::Schedule s(gemm_of({4, 4, 4}), seed);
    s.replay(script, schedule::Schedule::Decisions::draw);
    EXPECT_NE(print(s.program()).find("\"dozen\": 12"), std::string::npos) << print(s.trace());
  }
  schedule::Schedule by_default(gemm_of({4, 4, 4}));
  EXPECT_THROW(by_default.replay(script), schedule::Refused);
  EXPECT_TRUE(by_default.trace().instructions.empty());
}

}  // namespace

}  // namespace ardea::rules
