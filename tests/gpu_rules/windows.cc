#include <gtest/gtest.h>

#include "ardea/codegen/cuda/codegen_cuda.h"
#include "ardea/compile/nvrtc.h"
#include "ardea/ir/memory_alignment.h"
#include "ardea/ir/traverse.h"
#include "ardea/ir/window_copy.h"
#include "ardea/lower/pipeline.h"
#include "ardea/rules/program_space.h"
#include "tests/gpu_rules/workloads.h"
#include "tests/rules/answers.h"
#include "tests/support/sampled.h"

/// Convolutions on tensor cores whose windows a unit copies: whole ones have the answers of the program.

namespace ardea::rules {

namespace {

Function convolution(ops::Workload wanted, DataType type = float16) {
  wanted.in = {type};
  wanted.out = type;
  if (wanted.layout.empty()) wanted.layout = "nhwc";
  Function program = program_of(wanted);
  for (const Parameter& p : std::vector(program.parameters))
    program = promise_alignment(program, p.buffer->name, 16, "test");
  return program;
}

bool is_copied_by_unit(const SolvedSketch& one) {
  for (const Way& way : one.sketch.ways)
    if (way.question.starts_with("a unit copies")) return way.answers[way.taken] == "yes";
  return false;
}

/// The first programs that copy by the unit.
std::vector<Function> by_unit(const Function& program, std::size_t count) {
  const ProgramSpace space = program_space(program, newest_gpu(), rules_for(newest_gpu()));
  std::vector<Function> all;
  for (std::size_t i = 0; i < space.sketches.size() && all.size() < count; ++i) {
    if (!is_copied_by_unit(space.sketches[i])) continue;
    for (space::Point& point : space.sketches[i].solver->sample(1, 3).points)
      all.push_back(space.materialise({i, std::move(point)}).program());
  }
  return all;
}

int window_copies_in(const Function& f) {
  int count = 0;
  visit_exprs(f.body, [&](const Expr& e) {
    const auto* call = e.as<Call>();
    count += call != nullptr && window_copy_of(*call).has_value();
  });
  return count;
}

const std::vector<std::pair<std::string, Function>>& convolutions() {
  static const std::vector<std::pair<std::string, Function>> all = {
      {"lines", convolution({.op = "c1d", .sizes = {3, 37, 64, 64, 3, 1, 2, 1}, .layout = "nwc"})},
      {"padded", convolution({.op = "c2d", .sizes = {2, 5, 7, 64, 64, 1, 3, 1, 1, 1}})},
      {"strided", convolution({.op = "c2d", .sizes = {1, 17, 18, 64, 64, 2, 2, 2, 1, 1}})},
      {"dilated", convolution({.op = "dil", .sizes = {1, 9, 13, 64, 64, 3, 1, 1, 1, 2}}, bfloat16)},
      {"volumes",
       convolution({.op = "c3d", .sizes = {1, 4, 5, 6, 64, 64, 1, 3, 1, 1, 0, 1}, .layout = "ndhwc"})},
      {"transposed", convolution({.op = "t2d", .sizes = {2, 6, 8, 64, 64, 1, 3, 1, 0, 1}})},
  };
  return all;
}

TEST(WindowSources, are_none_where_a_tap_sees_nothing_but_borders) {
  const Function one_long = convolution({.op = "c1d", .sizes = {2, 1, 64, 64, 3, 1, 1, 1}, .layout = "nwc"});
  EXPECT_TRUE(by_unit(one_long, 1).empty()) << "of three taps two see borders";
}

class WindowsByUnit : public testing::TestWithParam<std::size_t> {};

TEST_P(WindowsByUnit, have_the_answers_of_the_program) {
  if (!test::takes_case(GetParam(), 6)) GTEST_SKIP() << "one of six: `make test-whole`";
  const Function& program = convolutions()[GetParam()].second;
  const Answers answers(program);
  const std::vector<Function> made = by_unit(program, test::takes_all_cases() ? 4 : 1);
  ASSERT_FALSE(made.empty());
  for (const Function& one : made) {
    const Function lowered = lower::lower(one, newest_gpu());
    EXPECT_GT(window_copies_in(lowered), 0);
    if (compile::why_no_nvrtc().empty()) {
      const std::string text = codegen::cuda_source(std::vector{lowered}, newest_gpu(), {});
      EXPECT_EQ(compile::cubin_of(text, newest_gpu().cpu, true).spilled_bytes, 0);
    }
    answers.expect_of(lowered);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, WindowsByUnit, testing::Range(std::size_t{0}, convolutions().size()),
                         [](const auto& info) { return convolutions()[info.param].first; });

}  // namespace

}  // namespace ardea::rules
