#include "ardea/rules/trace_at.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ardea/ir/equal.h"
#include "ardea/ops/registry.h"
#include "ardea/rules/program_space.h"
#include "ardea/schedule/canon.h"
#include "ardea/schedule/replay_trace.h"
#include "ardea/support/error.h"
#include "tests/rules/laws.h"
#include "tests/support/sampled.h"

/// A point's trace as text, replayed where nothing is known of the sketch, is the point's program.

namespace ardea::rules {

namespace {

struct TracedPoint {
  ops::Workload workload;
  const char* target = "generic-aarch64";
};

void PrintTo(const TracedPoint& subject, std::ostream* out) {
  *out << ops::to_string(ops::make_workload(subject.workload)) << " on " << subject.target;
}

class TracesAt : public testing::TestWithParam<TracedPoint> {};

TEST_P(TracesAt, a_point_replay_as_its_program) {
  const target::Target target = target::find(GetParam().target);
  const Function program = ops::create_function(ops::make_workload(GetParam().workload), "main");
  const ProgramSpace space = program_space(program, target, rules_for(target));
  std::vector<Choice> choices = space.sample(6, 3).choices;
  for (std::size_t i = 0; i < space.sketches.size(); ++i)
    if (const auto& model = space.sketches[i].sketch.model) choices.push_back({i, *model});
  ASSERT_GE(choices.size(), 2U);
  schedule::Schedule::History past;
  for (const Choice& choice : choices) {
    const Sketch& sketch = space.sketches[choice.sketch].sketch;
    SCOPED_TRACE(in_words(sketch, choice.point));
    const std::string text = trace_text(sketch, choice.point);
    EXPECT_EQ(text.find('\n'), std::string::npos);
    const schedule::Schedule made = materialise(sketch, choice.point);
    const schedule::Schedule again = schedule::replay_trace(program, text, past);
    past = again.history();
    EXPECT_EQ(first_difference(schedule::canon(made.program()), schedule::canon(again.program())), "");
    // What a replay keeps is the same text, so that a trace may go through many hands.
    EXPECT_EQ(to_json(again.trace()).dump(), text);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, TracesAt,
    testing::ValuesIn(test::sampled<TracedPoint>(
        2,
        {TracedPoint{{.op = "gemm", .sizes = {48, 40, 56}}},
         TracedPoint{{.op = "gemm", .sizes = {48, 40, 56}}, "cascade-lake"},
         TracedPoint{{.op = "gemm", .sizes = {33, 64, 31}, .in = {uint8, int8}, .acc = int32, .out = int32},
                     "cascade-lake"},
         TracedPoint{{.op = "c2d", .sizes = {1, 14, 14, 8, 16, 3, 3, 1, 1, 1}}},
         TracedPoint{{.op = "depthwise", .sizes = {1, 14, 14, 16, 3, 3, 1, 1}}},
         TracedPoint{{.op = "softmax", .sizes = {16, 64}}},
         TracedPoint{{.op = "layernorm", .sizes = {16, 64}}},
         TracedPoint{{.op = "gemm_bias_relu", .sizes = {32, 32, 32}}},
         TracedPoint{{.op = "transpose", .sizes = {48, 64}}}})));

TEST(TraceAt, of_another_sketch_is_refused) {
  const target::Target target = target::find("generic-aarch64");
  const Function program =
      ops::create_function(ops::make_workload({.op = "gemm", .sizes = {16, 16, 16}}), "main");
  const ProgramSpace space = program_space(program, target, rules_for(target));
  EXPECT_THROW(trace_at(space.sketches[0].sketch, {1, 2}), Error);
}

}  // namespace

}  // namespace ardea::rules
