#include <gtest/gtest.h>

#include <algorithm>

#include "ardea/compile/compile.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/print.h"
#include "ardea/measure/check.h"
#include "ardea/measure/inputs.h"
#include "ardea/measure/packed_weights.h"
#include "ardea/rules/program_space.h"
#include "ardea/schedule/canon.h"
#include "ardea/schedule/separate_packing.h"
#include "ardea/support/error.h"
#include "tests/model_schedules/workloads.h"
#include "tests/support/sampled.h"

/// Weights that are packed ahead: what packs and what computes are two functions, which together compute what
/// the operator says of the weights as they were given.

namespace ardea::test {

namespace {

using Arguments = std::vector<interp::Argument>;
/// Runs a function on arguments, in some way.
using Run = std::function<void(const Function&, const Arguments&)>;

/// What the rules make where weights shall be packed ahead; nothing where none packs them.
std::optional<schedule::Schedule> packed_ahead(const ops::Workload& workload, const target::Target& target) {
  const auto made = rules::model_schedule(ops::create_function(workload), target, rules::rules_for(target),
                                          {.weights_ahead = true});
  if (!made || !made->has_packed_ahead) return {};
  return made->schedule;
}

std::optional<schedule::SeparatedPacking> separated(const ops::Workload& workload,
                                                    const target::Target& target) {
  const auto made = packed_ahead(workload, target);
  if (!made) return {};
  return schedule::separate_packing(made->program(), made->program().parameters[1].buffer->name);
}

void expect_agreement(const ops::Workload& workload, const schedule::SeparatedPacking& program,
                      const Run& run) {
  const Function plain = ops::create_function(workload);
  const Arguments before = measure::make_arguments(plain, {.seed = 7});
  const measure::PackedWeights weights{program.parameter, program.pack,
                                       [&](const Arguments& arguments) { run(program.pack, arguments); }};
  const Arguments after = measure::with_packed(weights, measure::copy_arguments(before));
  run(program.main, after);
  const bool is_small = measure::interpreter_work(plain, before) < 3e5;
  const measure::CheckReport report = measure::check(
      plain, before, after, is_small ? measure::Reference::interpreter : measure::Reference::compiled);
  EXPECT_TRUE(report.agrees()) << print(Module{{}, {program.main, program.pack}});
}

/// Products, and convolutions whose rules pack weights: channels side by side, or transposed ones.
std::vector<ops::Workload> packed_workloads() {
  const std::vector<std::string> products = {"gemm", "bmm"}, convolutions = {"c1d", "c2d", "c3d", "dil"};
  const auto is_one_of = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<ops::Workload> all = scheduled_workloads();
  std::erase_if(all, [&](const ops::Workload& w) {
    return !is_one_of(products, w.op) && !(is_one_of(convolutions, w.op) && w.layout.ends_with("c"));
  });
  all.push_back(
      ops::make_workload({.op = "gemm", .sizes = {29, 31, 67}, .in = {float64}, .transpose_b = true}));
  for (const auto& [op, sizes] : std::vector<std::pair<const char*, std::vector<std::int64_t>>>{
           {"t1d", {2, 13, 3, 19, 3, 2, 1, 1}},
           {"t2d", {1, 5, 7, 3, 13, 3, 2, 2, 1, 1}},
           {"t3d", {1, 2, 3, 5, 2, 9, 2, 3, 3, 2, 1, 1}}})
    for (const std::string& layout : ops::find(op).layouts)
      all.push_back(ops::make_workload({.op = op, .sizes = sizes, .layout = layout}));
  return all;
}

class Prepacked : public testing::TestWithParam<ops::Workload> {};

TEST_P(Prepacked, programs_compute_what_the_operator_says_on_this_machine) {
  const target::Target host = target::host();
  const auto program = separated(GetParam(), host);
  if (!program) GTEST_SKIP() << "no rule here packs its weights";
  expect_agreement(GetParam(), *program, [&](const Function& f, const Arguments& arguments) {
    std::vector<runtime::Value> values;
    for (const interp::Argument& argument : arguments)
      values.emplace_back(std::get<runtime::Array>(argument));
    compile::callable(f, host).call(values);
  });
}

TEST_P(Prepacked, programs_compute_it_on_other_targets_by_interpreter) {
  const auto workloads = packed_workloads();
  const auto at = std::find(workloads.begin(), workloads.end(), GetParam()) - workloads.begin();
  const char* const name =
      std::array{"neoverse-v1", "avx2", "sapphirerapids"}[static_cast<std::size_t>(at) % 3];
  const auto program = separated(GetParam(), target::find(name));
  if (!program) GTEST_SKIP() << "no rule for " << name << " packs its weights";
  expect_agreement(GetParam(), *program,
                   [](const Function& f, const Arguments& arguments) { interp::run(f, arguments); });
  EXPECT_NO_THROW(compile::assembly(Module{{}, {program->main, program->pack}}, target::find(name)));
}

INSTANTIATE_TEST_SUITE_P(Workloads, Prepacked, testing::ValuesIn(test::sampled(7, packed_workloads())),
                         line_of);

TEST(PrepackedWeights, are_no_argument_of_the_main_function_and_the_rest_stays) {
  const ops::Workload workload = ops::make_workload({.op = "gemm", .sizes = {29, 31, 67}});
  const auto program = separated(workload, target::find("avx2"));
  ASSERT_TRUE(program.has_value());
  const auto names = [](const Function& f) {
    std::vector<std::string> list = {f.name};
    for (const Parameter& p : f.parameters) list.push_back(p.buffer->name);
    return list;
  };
  EXPECT_EQ(names(program->main), (std::vector<std::string>{"main", "A", "B_packed", "C"}));
  EXPECT_EQ(names(program->pack), (std::vector<std::string>{"main_pack", "B", "B_packed"}));
  EXPECT_EQ(program->parameter, 1U);
}

/// Which convolutions have weights that can be packed ahead. A rule that reads weights where they are says
/// so.
TEST(PrepackedWeights, of_convolutions_are_those_in_panels) {
  const auto packs = [](const char* op, const char* layout, const std::vector<std::int64_t>& sizes) {
    const auto workload = ops::make_workload({.op = op, .sizes = sizes, .layout = layout});
    return packed_ahead(workload, target::find("avx2")).has_value();
  };
  EXPECT_TRUE(packs("c2d", "nhwc", {1, 5, 7, 3, 13, 3, 3, 1, 1, 1}));
  EXPECT_TRUE(packs("t2d", "nhwc", {1, 5, 7, 3, 13, 3, 2, 2, 1, 1}));
  EXPECT_TRUE(packs("t2d", "nchw", {1, 5, 7, 3, 13, 3, 2, 2, 1, 1}));
  EXPECT_FALSE(packs("c2d", "nchw", {1, 5, 7, 3, 13, 3, 3, 1, 1, 1}));
  EXPECT_FALSE(packs("depthwise", "nhwc", {1, 5, 7, 13, 3, 3, 1, 1}));
}

/// Every point of a space with weights ahead has a packing that is a function of its own; the first is what
/// the model chooses for such weights.
TEST(PrepackedWeights, are_packed_ahead_at_every_point_of_their_space) {
  const auto by_interpreter = [](const Function& f, const Arguments& arguments) {
    interp::run(f, arguments);
  };
  const std::vector<std::pair<const char*, ops::Workload>> cases = {
      {"avx2", ops::make_workload({.op = "gemm", .sizes = {9, 24, 35}})},
      {"avx2", ops::make_workload({.op = "gemm", .sizes = {3, 13, 37}})},
      {"neoverse-v1", ops::make_workload({.op = "gemm", .sizes = {1, 29, 23}, .transpose_b = true})},
      {"neoverse-v1", ops::make_workload({.op = "gemm", .sizes = {8, 16, 24}, .in = {bfloat16}})},
      {"sapphirerapids", ops::make_workload({.op = "gemm", .sizes = {8, 16, 32}, .in = {uint8, int8}})},
      {"avx2", ops::make_workload({.op = "c2d", .sizes = {1, 5, 7, 3, 16, 3, 3, 1, 1, 1}, .layout = "nhwc"})},
      {"neoverse-v1",
       ops::make_workload({.op = "t2d", .sizes = {1, 5, 7, 3, 13, 3, 2, 2, 1, 1}, .layout = "nchw"})}};
  for (const auto& [name, workload] : cases) {
    SCOPED_TRACE(ops::to_string(workload) + " on " + name);
    const target::Target target = target::find(name);
    const rules::ProgramSpace space =
        rules::program_space(ops::create_function(workload), target, rules::rules_for(target),
                             {.wishes = {.weights_ahead = true}});
    const std::string weights = schedule::weights_of(space.program);
    ASSERT_TRUE(space.sketches[0].sketch.model);
    const auto chosen = schedule::separate_packing(
        space.materialise({0, *space.sketches[0].sketch.model}).program(), weights);
    const auto model = separated(workload, target);
    ASSERT_TRUE(model);
    EXPECT_TRUE(structurally_equal(schedule::canon(chosen.main), schedule::canon(model->main)))
        << print(chosen.main);
    std::size_t points = 0;
    for (const rules::Choice& choice : space.sample(6, 1).choices) {
      const auto made = schedule::separate_packing(space.materialise(choice).program(), weights);
      if (points++ % 3 == 0) expect_agreement(workload, made, by_interpreter);
    }
    EXPECT_EQ(points, 6U);
  }
  const auto softmax = ops::create_function(ops::make_workload({.op = "softmax", .sizes = {5, 7}}));
  const target::Target target = target::find("avx2");
  EXPECT_THROW(
      rules::program_space(softmax, target, rules::rules_for(target), {.wishes = {.weights_ahead = true}}),
      Error);
}

/// Of few rows the weights stream, as they do where they are not packed: through no tile of all columns.
TEST(PrepackedWeights, of_few_rows_are_streamed) {
  const auto rules_of = [](std::int64_t m, bool transposed) {
    rules::Derivation d(ops::create_function(ops::make_workload(
                            {.op = "gemm", .sizes = {m, 64, 200}, .transpose_b = transposed})),
                        target::find("sapphirerapids"), rules::Wishes{.weights_ahead = true});
    rules::derive(d, rules::rules_for(d.target()));
    EXPECT_TRUE(d.has_packed_ahead());
    return d.rules();
  };
  for (const bool transposed : {false, true}) {
    EXPECT_EQ(rules_of(1, transposed), std::vector<std::string>{"streamed product"});
    EXPECT_EQ(rules_of(4, transposed), std::vector<std::string>{"streamed product"});
    EXPECT_EQ(rules_of(8, transposed), std::vector<std::string>{"packed product"});
  }
}

TEST(PrepackedWeights, need_a_rule_that_packs) {
  const auto softmax = ops::make_workload({.op = "softmax", .sizes = {5, 7}});
  EXPECT_FALSE(packed_ahead(softmax, target::find("avx2")));
}

}  // namespace

}  // namespace ardea::test
