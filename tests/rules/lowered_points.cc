#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ardea/arith/canon.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/fold_literals.h"
#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"
#include "ardea/lower/pipeline.h"
#include "ardea/ops/open_sizes.h"
#include "ardea/ops/registry.h"
#include "ardea/rules/program_space.h"
#include "ardea/rules/trace_at.h"
#include "ardea/schedule/replay_trace.h"
#include "ardea/schedule/separate_packing.h"
#include "ardea/support/random.h"
#include "tests/rules/laws.h"

/// Whoever tries many points puts their numbers into the symbolic program; what is kept of one is its steps.
/// Both are lowered to the same code. `ardea space --check`, and so `make samples`, holds more points to it.

namespace ardea::rules {

namespace {

struct LoweredSpace {
  ops::Workload workload;
  const char* target = "avx2";
  int cores = 1;
  bool weights_ahead = false;
};

void PrintTo(const LoweredSpace& subject, std::ostream* out) {
  *out << ops::to_string(ops::make_workload(subject.workload)) << " on " << subject.target;
}

/// As a process makes it that knows the text of the symbolic program and the numbers.
Function by_numbers(const Sketch& sketch, const space::Point& point) {
  const Function read = parse_function(print(sketch.symbolic));
  const limits::Numbers numbers = numbers_at(sketch, point);
  std::unordered_map<Var, std::int64_t> values;
  for (std::size_t i = 0; i < read.parameters.size(); ++i)
    if (const auto at = numbers.find(sketch.symbolic.parameters[i].var); at != numbers.end())
      values.emplace(read.parameters[i].var, at->second);
  EXPECT_EQ(values.size(), sketch.knobs.size());
  return arith::with_numbers(read, values);
}

void expect_lowered_alike(const Function& expected, const Function& actual, const target::Target& target) {
  const Function lowered = lower::lower(fold_literals(expected), target);
  EXPECT_EQ(first_difference(lowered, lower::lower(fold_literals(actual), target)), "")
      << print(expected) << print(actual);
}

void expect_lowered_alike(const ProgramSpace& space, const Choice& choice, bool weights_ahead) {
  const Sketch& sketch = space.sketches[choice.sketch].sketch;
  SCOPED_TRACE(in_words(sketch, choice.point));
  const Function by_steps = schedule::replay_trace(space.program, trace_text(sketch, choice.point)).program();
  const Function at_once = by_numbers(sketch, choice.point);
  if (!weights_ahead) return expect_lowered_alike(by_steps, at_once, space.target);
  const std::string weights = schedule::weights_of(space.program);
  const auto expected = schedule::separate_packing(by_steps, weights);
  const auto actual = schedule::separate_packing(at_once, weights);
  expect_lowered_alike(expected.main, actual.main, space.target);
  expect_lowered_alike(expected.pack, actual.pack, space.target);
}

/// Of each sketch, in an order that is drawn, so many in all; and what the model chooses.
void expect_lowered_alike(const ProgramSpace& space, std::size_t most, std::uint64_t seed,
                          bool weights_ahead = false) {
  Random random(seed);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < space.sketches.size(); ++i) order.push_back(i);
  for (std::size_t i = order.size(); i-- > 1;)
    std::swap(order[i], order[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(i)))]);
  SCOPED_TRACE(fmt::format("drawn from the seed {}", seed));
  const std::size_t of_each = std::max<std::size_t>(1, most / order.size());
  std::size_t tried = 0;
  for (const std::size_t i : order) {
    if (tried >= most) break;
    for (space::Point& point : space.sketches[i].solver->sample(of_each, seed + i).points) {
      expect_lowered_alike(space, {i, std::move(point)}, weights_ahead);
      ++tried;
    }
  }
  EXPECT_GT(tried, 0U);
  if (const auto& model = space.sketches[0].sketch.model)
    expect_lowered_alike(space, {0, *model}, weights_ahead);
}

class LoweredPoints : public testing::TestWithParam<LoweredSpace> {};

TEST_P(LoweredPoints, are_one_by_their_numbers_and_by_their_steps) {
  const LoweredSpace& subject = GetParam();
  target::Target target = target::find(subject.target);
  target.cores = subject.cores;
  const Function program = ops::create_function(ops::make_workload(subject.workload), "main");
  const ProgramSpace space =
      program_space(program, target, rules_for(target), {.wishes = {.weights_ahead = subject.weights_ahead}});
  expect_lowered_alike(space, 8, 11, subject.weights_ahead);
}

INSTANTIATE_TEST_SUITE_P(
    All, LoweredPoints,
    testing::Values(
        LoweredSpace{{.op = "gemm", .sizes = {31, 17, 23}}},
        LoweredSpace{{.op = "gemm", .sizes = {1, 29, 7}}, "generic-aarch64"},
        LoweredSpace{{.op = "gemm", .sizes = {13, 1, 11}, .transpose_b = true}, "generic-x86_64"},
        LoweredSpace{{.op = "gemm", .sizes = {48, 40, 56}}, "neoverse-v1", 6},
        LoweredSpace{{.op = "gemm", .sizes = {17, 19, 40}, .in = {uint8, int8}}, "cascade-lake"},
        LoweredSpace{{.op = "gemm", .sizes = {19, 34, 23}, .in = {bfloat16}}, "sapphirerapids"},
        LoweredSpace{{.op = "gemm", .sizes = {11, 17, 13}, .in = {bfloat16}}, "neoverse-v2"},
        LoweredSpace{{.op = "gemm", .sizes = {9, 24, 35}}, "avx2", 1, true},
        LoweredSpace{{.op = "gemm", .sizes = {8, 16, 32}, .in = {uint8, int8}}, "sapphirerapids", 1, true},
        LoweredSpace{{.op = "bmm", .sizes = {3, 7, 11, 5}}, "neoverse-v1"},
        LoweredSpace{{.op = "gemv", .sizes = {37, 53}}, "generic-aarch64"},
        LoweredSpace{{.op = "scan", .sizes = {3, 29, 7}}},
        LoweredSpace{{.op = "c2d", .sizes = {1, 9, 11, 5, 13, 3, 3, 1, 1, 1}}},
        LoweredSpace{{.op = "c2d", .sizes = {1, 11, 9, 4, 6, 3, 3, 2, 1, 1}, .layout = "nhwc"},
                     "generic-aarch64"},
        LoweredSpace{
            {.op = "c2d", .sizes = {1, 5, 7, 3, 16, 3, 3, 1, 1, 1}, .layout = "nhwc"}, "avx2", 1, true},
        LoweredSpace{{.op = "c3d", .sizes = {1, 4, 5, 6, 3, 7, 3, 3, 3, 1, 1, 1}}, "neoverse-v1"},
        LoweredSpace{{.op = "dil", .sizes = {1, 9, 9, 5, 7, 3, 3, 1, 2, 2}}},
        LoweredSpace{{.op = "t2d", .sizes = {1, 5, 6, 7, 9, 3, 3, 2, 1, 1}}, "generic-x86_64"},
        LoweredSpace{{.op = "grouped", .sizes = {1, 7, 9, 6, 12, 3, 3, 1, 1, 1, 3}}, "generic-aarch64"},
        LoweredSpace{{.op = "depthwise", .sizes = {1, 9, 11, 13, 3, 3, 1, 1}}, "neoverse-v1"},
        LoweredSpace{{.op = "depthwise", .sizes = {1, 9, 11, 13, 3, 3, 2, 1}, .layout = "nhwc"}},
        LoweredSpace{{.op = "var", .sizes = {11, 31}}},
        LoweredSpace{{.op = "argmax", .sizes = {13, 29}}, "generic-aarch64"},
        LoweredSpace{{.op = "softmax", .sizes = {13, 29}}, "neoverse-v1", 3},
        LoweredSpace{{.op = "layernorm", .sizes = {7, 53}}},
        LoweredSpace{{.op = "batchnorm", .sizes = {11, 17}}, "generic-x86_64"},
        LoweredSpace{{.op = "gelu", .sizes = {3, 41}}},
        LoweredSpace{{.op = "transpose", .sizes = {13, 29}}, "generic-aarch64"},
        LoweredSpace{{.op = "maxpool", .sizes = {1, 9, 11, 5, 3, 2, 1}}},
        LoweredSpace{{.op = "gemm_bias_relu", .sizes = {13, 7, 19}}, "neoverse-v1"},
        LoweredSpace{{.op = "conv_bn_relu", .sizes = {1, 7, 9, 6, 11, 3, 3, 1, 1, 1}}},
        LoweredSpace{{.op = "attention", .sizes = {2, 13, 8}}, "generic-aarch64"},
        LoweredSpace{{.op = "matmul_exp_matmul", .sizes = {11, 5, 13, 7}}}));

/// A length that only a call knows stays open in both.
TEST(LoweredPoints, of_any_length_are_one_by_their_numbers_and_by_their_steps) {
  const target::Target target = target::find("avx2");
  const Function program =
      ops::create_function(ops::open_workload({.op = "gemm", .sizes = {}}, "n,17,23"), "main");
  expect_lowered_alike(program_space(program, target, rules_for(target)), 8, 11);
}

/// Panels that are asked for ahead: the distances are numbers of the point, in pragmas.
TEST(LoweredPoints, ask_for_memory_ahead_alike) {
  target::Target target = target::find("generic-aarch64");
  target.caches = {{.level = 1, .bytes = 256, .ways = 4, .line_bytes = 64},
                   {.level = 2, .bytes = 384, .ways = 8, .line_bytes = 64}};
  const Function program = ops::create_function(ops::make_workload({.op = "gemm", .sizes = {48, 40, 56}}));
  const ProgramSpace space = program_space(program, target, rules_for(target));
  std::size_t ahead = 0;
  for (const SolvedSketch& solved : space.sketches)
    ahead += print(solved.sketch.symbolic).find("pragma_prefetch") == std::string::npos ? 0 : 1;
  EXPECT_GT(ahead, 0U);
  expect_lowered_alike(space, 2 * space.sketches.size(), 11);
}

}  // namespace

}  // namespace ardea::rules
