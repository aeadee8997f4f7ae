#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "ardea/compile/compile.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/print.h"
#include "ardea/measure/check.h"
#include "ardea/measure/inputs.h"
#include "ardea/rules/program_space.h"
#include "tests/model_schedules/workloads.h"
#include "tests/support/sampled.h"

/// What rules make by their model computes what the operator says, here and on the targets that this machine
/// is not.

namespace ardea::test {

namespace {

class ModelSchedules : public testing::TestWithParam<ops::Workload> {};

std::optional<schedule::Schedule> scheduled(const ops::Workload& workload, const target::Target& target) {
  const auto made = rules::model_schedule(ops::create_function(workload), target, rules::rules_for(target));
  if (!made) return {};
  return made->schedule;
}

/// The plain program is the reference, under the tolerance that follows from it.
void expect_agreement(const ops::Workload& workload, const Function& program,
                      const std::function<void(const std::vector<interp::Argument>&)>& run) {
  const Function plain = ops::create_function(workload);
  const auto before = measure::make_arguments(plain, {.seed = 7});
  const auto after = measure::copy_arguments(before);
  run(after);
  const bool is_small = measure::interpreter_work(plain, before) < 3e5;
  const measure::CheckReport report = measure::check(
      plain, before, after, is_small ? measure::Reference::interpreter : measure::Reference::compiled);
  EXPECT_TRUE(report.agrees()) << ops::to_string(workload) << "\n" << print(program);
}

void expect_compiled_agreement(const ops::Workload& workload, const Function& program,
                               const target::Target& target) {
  const runtime::Function compiled = compile::callable(program, target);
  expect_agreement(workload, program, [&](const std::vector<interp::Argument>& arguments) {
    std::vector<runtime::Value> values;
    for (const interp::Argument& argument : arguments)
      values.emplace_back(std::get<runtime::Array>(argument));
    compiled.call(values);
  });
}

TEST_P(ModelSchedules, compute_what_the_operator_says_on_this_machine) {
  const target::Target host = target::host();
  const auto s = scheduled(GetParam(), host);
  if (!s) GTEST_SKIP() << "no rule serves it";
  expect_compiled_agreement(GetParam(), s->program(), host);
}

/// Blocks, panels and copies are for operands that do not fit into caches: with small caches, small ones do
/// not, and all parts of the nest can be had from products that are quick to check.
target::Target with_small_caches(target::Target target, int cores) {
  target.caches = {{.level = 1, .bytes = 512, .ways = 4, .line_bytes = 64},
                   {.level = 2, .bytes = 64 << 10, .ways = 8, .line_bytes = 64}};
  target.cores = cores;
  return target;
}

std::vector<ops::Workload> products_for_small_caches() {
  const auto product = [](const char* op, std::vector<std::int64_t> sizes, bool transposed = false) {
    return ops::make_workload({.op = op, .sizes = std::move(sizes), .transpose_b = transposed});
  };
  std::vector<ops::Workload> all = {product("gemm", {401, 160, 331}),
                                    product("gemm", {347, 131, 509}),
                                    product("gemm", {23, 192, 467}),
                                    product("gemm", {353, 96, 257}, true),
                                    product("bmm", {3, 339, 67, 269}),
                                    product("matmul_exp_matmul", {331, 67, 160, 397}),
                                    product("matmul_exp_matmul", {37, 33, 96, 41})};
  for (const DataType right : {int8, bfloat16}) {
    const bool bytes = right == int8;
    all.push_back(ops::make_workload({.op = "gemm",
                                      .sizes = {37, 1100, 131},
                                      .in = {bytes ? uint8 : right, right},
                                      .acc = bytes ? int32 : float32,
                                      .out = bytes ? int32 : float32}));
  }
  return all;
}

class ProductsInSmallCaches : public testing::TestWithParam<ops::Workload> {};

TEST_P(ProductsInSmallCaches, change_no_answer_on_this_machine) {
  for (const int cores : {1, 2}) {
    SCOPED_TRACE(cores);
    const target::Target small = with_small_caches(target::host(), cores);
    const auto s = scheduled(GetParam(), small);
    if (!s) GTEST_SKIP() << "no rule serves it";
    expect_compiled_agreement(GetParam(), s->program(), small);
  }
}

/// The steps of a product, by what they are named.
bool takes(const schedule::Schedule& s, const std::string& step) {
  return schedule::print(s.trace()).find(step) != std::string::npos;
}

TEST(SmallCaches, lead_to_panels_of_both_operands_and_several_blocks) {
  const target::Target small = with_small_caches(target::find("skylake-avx512"), 1);
  const auto s = scheduled(products_for_small_caches()[0], small);
  for (const char* step : {"cache_read(", "buffer=\"B\"", "\"B_packed\""})
    EXPECT_TRUE(takes(*s, step)) << step;
  const std::string program = print(s->program());
  EXPECT_NE(program.find("for k_0, n_0_0 in T.grid(3, 2)"), std::string::npos) << program;
}

/// On aarch64 a column of the left operand is a vector: another layout of its panels.
TEST(SmallCaches, change_no_answer_where_columns_are_vectors) {
  const target::Target small = with_small_caches(target::find("neoverse-v1"), 1);
  for (const ops::Workload& w :
       {ops::make_workload({.op = "gemm", .sizes = {199, 67, 53}}),
        ops::make_workload({.op = "matmul_exp_matmul", .sizes = {197, 9, 67, 61}})}) {
    const auto s = scheduled(w, small);
    expect_agreement(w, s->program(), [&](const auto& arguments) { interp::run(s->program(), arguments); });
  }
}

/// The targets for a workload: one after the other of them takes the next, and every other workload none; or
/// all with ARDEA_RECIPES=all.
std::vector<std::string> other_targets(const ops::Workload& workload) {
  const std::vector<std::string> all = {"neoverse-v1", "avx2", "sapphirerapids", "generic-x86_64"};
  const char* const asked = std::getenv("ARDEA_RECIPES");
  if (asked != nullptr && std::string(asked) == "all") return all;
  const auto workloads = scheduled_workloads();
  const auto at =
      static_cast<std::size_t>(std::find(workloads.begin(), workloads.end(), workload) - workloads.begin());
  if (at % 2 == 1) return {};
  return {all[at / 2 % all.size()]};
}

TEST_P(ModelSchedules, compute_it_on_other_targets_by_interpreter) {
  for (const std::string& name : other_targets(GetParam())) {
    const auto s = scheduled(GetParam(), target::find(name));
    if (!s) continue;
    SCOPED_TRACE(name);
    expect_agreement(GetParam(), s->program(),
                     [&](const auto& arguments) { interp::run(s->program(), arguments); });
    EXPECT_NO_THROW(compile::assembly(Module{{}, {s->program()}}, target::find(name)));
  }
}

/// Original program + trace = final program, from its text too.
TEST_P(ModelSchedules, replay_from_their_trace) {
  const auto s = scheduled(GetParam(), target::host());
  if (!s) GTEST_SKIP() << "no rule serves it";
  schedule::Schedule again(ops::create_function(GetParam()));
  again.replay(schedule::parse_steps(schedule::print(s->trace()), "trace"));
  EXPECT_TRUE(structurally_equal(again.program(), s->program())) << print(again.program());
}

INSTANTIATE_TEST_SUITE_P(Workloads, ProductsInSmallCaches,
                         testing::ValuesIn(test::sampled(2, products_for_small_caches())), line_of);
INSTANTIATE_TEST_SUITE_P(Workloads, ModelSchedules,
                         testing::ValuesIn(test::sampled(7, scheduled_workloads())), line_of);

}  // namespace

}  // namespace ardea::test
