#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "ardea/arith/load.h"
#include "ardea/interp/interpreter.h"
#include "ardea/ir/print.h"
#include "ardea/lower/pipeline.h"
#include "ardea/measure/check.h"
#include "ardea/measure/inputs.h"
#include "ardea/ops/registry.h"
#include "ardea/rules/analysis/row_chain.h"
#include "ardea/rules/cpu/row_panels.h"
#include "ardea/rules/model/row_panels.h"
#include "ardea/rules/program_space.h"
#include "ardea/schedule/program/tree.h"
#include "tests/rules/laws.h"
#include "tests/support/sampled.h"

/// Two products and what lies between them, by panels of rows.

namespace ardea::rules {

namespace {

Function operator_of(const std::string& op, const std::vector<std::int64_t>& sizes) {
  return ops::create_function(ops::make_workload({.op = op, .sizes = sizes}));
}

/// F = D · E with C = A · B of 11 × 7 and `between`, which makes D of it with what it allocates.
struct Between {
  std::string allocations, stages, parameters = {};
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

Function chain_with(const Between& between, const std::string& type = "float32") {
  const std::string text = R"(@T.prim_func
def main(A: T.Buffer((11, 5), "float"), B: T.Buffer((5, 7), "float"), V: T.Buffer((11, 7), "float"), W: T.Buffer((7,), "float"), E: T.Buffer((7, 9), "float"), F: T.Buffer((11, 9), "float"))" +
                           between.parameters + R"():
    C = T.alloc_buffer((11, 7), "float")
)" + between.allocations + R"(
    for i, j, k in T.grid(11, 7, 5):
        with T.block("C"):
            x, y, z = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[x, y] = T.float(0)
            C[x, y] = C[x, y] + A[x, z] * B[z, y]
)" + between.stages + R"(
    for i, j, k in T.grid(11, 9, 7):
        with T.block("F"):
            x, y, z = T.axis.remap("SSR", [i, j, k])
            with T.init():
                F[x, y] = T.float(0)
            F[x, y] = F[x, y] + D[x, z] * E[z, y]
)";
  const std::string typed =
      replaced(replaced(text, "\"float\"", '"' + type + '"'), "T.float(", "T." + type + "(");
  return arith::load_program(typed, "chain.tir").functions[0];
}

const char* const allocated = R"(    D = T.alloc_buffer((11, 7), "float"))";

/// D[x, y] is the value, element by element.
Between elements(const std::string& value) {
  return {allocated, R"(
    for i, j in T.grid(11, 7):
        with T.block("D"):
            x, y = T.axis.remap("SS", [i, j])
            D[x, y] = )" +
                         value};
}

/// The sum of each row goes into all of it.
Between shares() {
  return {std::string(allocated) + R"(
    S = T.alloc_buffer((11,), "float"))",
          R"(
    for i, j in T.grid(11, 7):
        with T.block("S"):
            x, y = T.axis.remap("SR", [i, j])
            with T.init():
                S[x] = T.float(0)
            S[x] = S[x] + C[x, y]
    for i, j in T.grid(11, 7):
        with T.block("D"):
            x, y = T.axis.remap("SS", [i, j])
            D[x, y] = C[x, y] + S[x])"};
}

std::optional<RowChain> chain_of(const Function& program) {
  return row_chain_to(program, {schedule::all_blocks(program).back().block().id});
}

TEST(RowChain, is_two_products_and_stages_of_rows) {
  const auto attention = chain_of(operator_of("attention", {2, 5, 3}));
  ASSERT_TRUE(attention);
  EXPECT_EQ(attention->axes, 2U);
  EXPECT_EQ(attention->between.size(), 6U);
  EXPECT_TRUE(attention->first.transposed);
  EXPECT_EQ(std::count_if(attention->between.begin(), attention->between.end(),
                          [&](const Stage& stage) { return attention->makes_rows(stage); }),
            3);
  EXPECT_TRUE(chain_of(operator_of("matmul_exp_matmul", {5, 3, 7, 2})));
  EXPECT_TRUE(chain_of(chain_with(elements("C[x, y] * W[y]"))));
  EXPECT_TRUE(chain_of(chain_with(shares())));
  EXPECT_FALSE(chain_of(operator_of("gemm_bias_relu", {5, 3, 7})));
  EXPECT_FALSE(chain_of(operator_of("gemm", {5, 3, 7})));
}

/// What would differ from lane to lane in memory, comes of other rows, or is read by somebody else.
TEST(RowChain, takes_nothing_that_rows_do_not_have_for_themselves) {
  EXPECT_FALSE(chain_of(chain_with(elements("C[x, y] * V[x, y]"))));
  EXPECT_FALSE(chain_of(chain_with(elements("C[10 - x, y]"))));
  EXPECT_FALSE(chain_of(chain_with(elements("C[x, 6 - y]"))));
  Between given_away = elements("C[x, y]");
  given_away.allocations = "";
  given_away.parameters = R"(, D: T.Buffer((11, 7), "float"))";
  EXPECT_FALSE(chain_of(chain_with(given_away)));
  Between read_twice = elements("C[x, y]");
  read_twice.parameters = R"(, G: T.Buffer((11, 7), "float"))";
  read_twice.stages += R"(
    for i, j in T.grid(11, 7):
        with T.block("G"):
            x, y = T.axis.remap("SS", [i, j])
            G[x, y] = C[x, y])";
  EXPECT_FALSE(chain_of(chain_with(read_twice)));
}

struct ChainCase {
  const char* name;
  Function program;
  const char* target;
};

std::ostream& operator<<(std::ostream& out, const ChainCase& given) { return out << given.name; }

class ChainSpaces : public testing::TestWithParam<ChainCase> {};

/// Every sample is the replayed program, and computes what the program did; so does the model's.
TEST_P(ChainSpaces, have_right_programs_only) {
  const target::Target target = target::find(GetParam().target);
  const ProgramSpace space = program_space(GetParam().program, target, RuleSet{row_panels()});
  for (const LeftOut& out : space.left_out) ADD_FAILURE() << to_string(out.ways) << ": " << out.reason;
  const auto given = measure::make_arguments(space.program, {.seed = 7});
  const measure::Expectation expected(space.program, given, measure::Reference::interpreter);
  const auto expect_right = [&](const Function& program) {
    const auto after = measure::copy_arguments(given);
    interp::run(program, after);
    EXPECT_TRUE(expected.compare(after).agrees()) << print(program);
  };
  const auto by_panels =
      std::find_if(space.sketches.begin(), space.sketches.end(), [](const SolvedSketch& solved) {
        return solved.sketch.ways[0].answers[solved.sketch.ways[0].taken] == "yes";
      });
  ASSERT_NE(by_panels, space.sketches.end());
  EXPECT_TRUE(by_panels->sketch.model.has_value());
  EXPECT_TRUE(by_panels->sketch.deferred.empty());
  for (const space::Point& point : by_panels->solver->sample(8, 5).points) {
    SCOPED_TRACE(in_words(by_panels->sketch, point));
    const Function replayed = replayed_by_the_law(by_panels->sketch, point);
    expect_right(replayed);
    expect_right(lower::lower_unpacked(replayed, target));
  }
  const auto model = model_schedule(space.program, target, RuleSet{row_panels()});
  ASSERT_TRUE(model);
  expect_right(lower::lower_unpacked(model->schedule.program(), target));
}

INSTANTIATE_TEST_SUITE_P(
    All, ChainSpaces,
    testing::ValuesIn(test::sampled<ChainCase>(
        2, {ChainCase{"attention_2_19_6_neon", operator_of("attention", {2, 19, 6}), "neoverse-v1"},
            ChainCase{"attention_3_13_1_avx2", operator_of("attention", {3, 13, 1}), "avx2"},
            ChainCase{"attention_1_16_5_generic", operator_of("attention", {1, 16, 5}), "generic-x86_64"},
            ChainCase{"exponentials_17_3_11_7_neon", operator_of("matmul_exp_matmul", {17, 3, 11, 7}),
                      "neoverse-v1"},
            ChainCase{"exponentials_9_4_1_2_avx2", operator_of("matmul_exp_matmul", {9, 4, 1, 2}), "avx2"},
            ChainCase{"products_neon", chain_with(elements("C[x, y]")), "neoverse-v1"},
            ChainCase{"scaled_by_column_avx2", chain_with(elements("C[x, y] * W[y]")), "avx2"},
            ChainCase{"shares_neon", chain_with(shares()), "neoverse-v1"},
            ChainCase{"shares_double_avx2", chain_with(shares(), "float64"), "avx2"}})),
    [](const auto& info) { return std::string(info.param.name); });

/// The model takes tiles that registers hold, panels that are whole vectors, and no more rows than there are.
TEST(RowPanels, fit_registers_and_rows) {
  for (const char* name : {"neoverse-v1", "avx2", "generic-x86_64", "skylake-avx512"}) {
    const target::Target target = target::find(name);
    for (const std::int64_t m : {16, 37, 512}) {
      const RowPanels found = choose_row_panels({m, 512, 64}, {m, 64, 512}, float32, target);
      EXPECT_LE(found.panel(), m);
      EXPECT_EQ(found.panel() % (target.vector_bits / 32), 0) << name << " " << m;
      EXPECT_LE(found.rows * found.columns * 32 / target.vector_bits, target.vector_registers);
      EXPECT_LE(found.first_columns * found.panel() * 32 / target.vector_bits, target.vector_registers);
    }
  }
  const RowPanels here =
      choose_row_panels({512, 512, 64}, {512, 64, 512}, float32, target::find("neoverse-v1"));
  EXPECT_EQ(here.panel(), 12);
  EXPECT_EQ(here.columns, 8);
  EXPECT_EQ(here.first_columns, 8);
}

/// Right operands that the second cache holds, or that are small beside the rows between, may go past panels
/// of few rows; matrices that are as large as these are multiplied one by one.
TEST(RowPanels, pay_where_they_do_not_wait_for_what_streams_past) {
  const target::Target target = target::find("sapphirerapids");
  const auto pay = [&](const ProductSizes& first, const ProductSizes& last) {
    const RowPanels panels = choose_row_panels(first, last, float32, target);
    return panels_pay(panels, first, last, {.reads = 4, .writes = 3}, float32, target);
  };
  EXPECT_TRUE(pay({512, 512, 64}, {512, 64, 512}));
  EXPECT_TRUE(pay({8192, 8192, 64}, {8192, 64, 8192}));
  EXPECT_FALSE(pay({1024, 1024, 2048}, {1024, 3072, 1024}));
}

}  // namespace

}  // namespace ardea::rules
