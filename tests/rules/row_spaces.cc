#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "ardea/arith/load.h"
#include "ardea/ir/print.h"
#include "ardea/lower/pipeline.h"
#include "ardea/ops/registry.h"
#include "ardea/rules/analysis/column_sum.h"
#include "ardea/rules/analysis/row_nest.h"
#include "ardea/rules/program_space.h"
#include "ardea/schedule/program/tree.h"
#include "tests/rules/answers.h"
#include "tests/rules/laws.h"
#include "tests/support/sampled.h"

/// The spaces of operators that go along rows or take each element for itself.

namespace ardea::rules {

namespace {

struct Asked {
  const char* op;
  std::vector<std::int64_t> sizes;
  const char* target = "avx2";
  bool transpose_b = false;
  const char* layout = "";
};

Function program_of(const Asked& asked) {
  return ops::create_function(ops::make_workload(
      {.op = asked.op, .sizes = asked.sizes, .layout = asked.layout, .transpose_b = asked.transpose_b}));
}

/// Small caches are soon full: threads, parts of rows and rows that are asked for ahead come with them.
target::Target small(const std::string& name, int cores = 2) {
  target::Target target = target::find(name);
  target.caches = {{.level = 1, .bytes = 256, .ways = 4, .line_bytes = 64},
                   {.level = 2, .bytes = 384, .ways = 8, .line_bytes = 64}};
  target.cores = cores;
  return target;
}

class RowSpaces : public testing::TestWithParam<Asked> {};

/// Samples of every sketch are what was predicted, and compute what the program did, lowered, too.
TEST_P(RowSpaces, have_right_programs_only) {
  const target::Target target = small(GetParam().target);
  const ProgramSpace space = program_space(program_of(GetParam()), target, rules_for(target));
  for (const LeftOut& out : space.left_out) ADD_FAILURE() << to_string(out.ways) << ": " << out.reason;
  EXPECT_LE(space.sketches.size(), 12U);
  const Answers answers(space.program);
  for (const auto& [sketch, solver] : space.sketches) {
    EXPECT_TRUE(sketch.model.has_value()) << to_string(sketch.ways);
    EXPECT_TRUE(sketch.deferred.empty()) << to_string(sketch.ways);
    for (const space::Point& point : solver->sample(2, 3).points) {
      SCOPED_TRACE(in_words(sketch, point));
      const Function replayed = replayed_by_the_law(sketch, point);
      answers.expect_of(replayed);
      answers.expect_of(lower::lower_unpacked(replayed, target));
    }
  }
}

/// What parts leave over is guarded or a loop of its own, also where nothing is; but not where nothing can
/// be.
TEST(RowSpaces, cut_what_is_left_over_or_guard_it) {
  const target::Target target = small("avx2");
  for (const std::int64_t rows : {13, 12, 2}) {
    const Function program = program_of({"relu", {rows, 37}});
    const ProgramSpace space = program_space(program, target, rules_for(target));
    const Answers answers(program);
    std::size_t cut = 0;
    for (const auto& [sketch, solver] : space.sketches) {
      const bool is_cut = std::any_of(sketch.ways.begin(), sketch.ways.end(), [](const Way& way) {
        return way.answers[way.taken] == "a loop of its own";
      });
      if (!is_cut) continue;
      ++cut;
      for (const space::Point& point : solutions_of(sketch.system)) {
        SCOPED_TRACE(in_words(sketch, point));
        const Function replayed = replayed_by_the_law(sketch, point);
        EXPECT_EQ(schedule::all_blocks(replayed).size(), 2U);
        answers.expect_of(replayed);
        answers.expect_of(lower::lower_unpacked(replayed, target));
      }
    }
    EXPECT_EQ(cut, rows == 2 ? 0U : 2U) << rows;  // with results asked for ahead, and without
  }
}

/// Where arrays are larger than a core's own caches, and stores of the machine wait for their lines.
TEST(RowSpaces, ask_for_the_lines_of_results_ahead) {
  const auto asks = [](const Asked& asked) {
    target::Target target = target::find(asked.target);
    target.cores = 1;
    const ProgramSpace space = program_space(program_of(asked), target, rules_for(target));
    const Sketch& model = space.sketches.at(0).sketch;
    return print(replayed_by_the_law(model, model.model.value())).find("pragma_prefetch") !=
           std::string::npos;
  };
  for (const char* op : {"relu", "tanh", "add"}) {
    EXPECT_TRUE(asks({op, {1024, 1024}, "skylake-avx512"})) << op;
    EXPECT_FALSE(asks({op, {64, 1024}, "skylake-avx512"})) << op;
    EXPECT_FALSE(asks({op, {1024, 1024}, "neoverse-v1"})) << op;
  }
}

INSTANTIATE_TEST_SUITE_P(All, RowSpaces,
                         testing::ValuesIn(test::sampled<Asked>(
                             3, {Asked{"relu", {1, 1}},
                                 Asked{"relu", {13, 7}},
                                 Asked{"relu", {3, 131}, "neoverse-v1"},
                                 Asked{"bias_add", {7, 37}},
                                 Asked{"batchnorm", {5, 17}, "generic-x86_64"},
                                 Asked{"reduce_sum", {7, 37}},
                                 Asked{"reduce_sum", {1, 130}, "neoverse-v1"},
                                 Asked{"reduce_max", {31, 3}},
                                 Asked{"argmax", {7, 37}},
                                 Asked{"argmax", {5, 19}, "neoverse-v1"},
                                 Asked{"argmax", {3, 2}, "generic-x86_64"},
                                 Asked{"argmax", {2, 197}},
                                 Asked{"argmax", {3, 256}, "neoverse-v1"},
                                 Asked{"mean", {5, 37}},
                                 Asked{"var", {7, 19}},
                                 Asked{"gemv", {7, 37}, "neoverse-v1"},
                                 Asked{"softmax", {5, 19}},
                                 Asked{"softmax", {1, 1}},
                                 Asked{"softmax", {7, 35}, "neoverse-v1"},
                                 Asked{"layernorm", {3, 17}},
                                 Asked{"gemm", {3, 17, 37}},
                                 Asked{"gemm", {1, 5, 19}},
                                 Asked{"gemm", {3, 37, 5}, "neoverse-v1", true},
                                 Asked{"gemm", {19, 13, 1}},
                                 Asked{"maxpool", {1, 7, 11, 3, 3, 1, 1}},
                                 Asked{"maxpool", {1, 9, 7, 2, 3, 2, 1}, "neoverse-v1"},
                                 Asked{"maxpool", {1, 6, 9, 2, 3, 1, 1}, "neoverse-v1", false, "nhwc"},
                                 Asked{"maxpool", {2, 9, 7, 5, 2, 2, 0}, "neoverse-v1", false, "nhwc"},
                                 Asked{"avgpool", {1, 7, 5, 2, 3, 1, 1}, "generic-x86_64"},
                                 Asked{"avgpool", {1, 5, 7, 3, 3, 2, 1}, "avx2", false, "nhwc"},
                                 Asked{"global_avgpool", {2, 5, 7, 3}},
                                 Asked{"global_avgpool", {2, 5, 7, 19}, "avx2", false, "nhwc"},
                                 Asked{"scan", {3, 11, 5}},
                                 Asked{"transpose", {1, 37}},
                                 Asked{"transpose", {37, 19}, "neoverse-v1"},
                                 Asked{"transpose", {3, 41}},
                                 Asked{"transpose", {37, 7}, "neoverse-v1"},
                                 Asked{"transpose", {19, 13}},
                                 Asked{"transpose", {2053, 3}, "neoverse-v1"},
                                 Asked{"tanh", {3, 5}},
                                 Asked{"gelu", {3, 70}, "neoverse-v1"},
                                 Asked{"sigmoid", {2, 67}}})),
                         [](const auto& info) {
                           std::string name = info.param.op;
                           for (const std::int64_t size : info.param.sizes)
                             name += "_" + std::to_string(size);
                           return name +
                                  (*info.param.layout != '\0' ? std::string("_") + info.param.layout : "");
                         });

/// Row i waits for what is made of row 3 - i: no nest over rows holds both.
TEST(RowNest, holds_no_stage_that_reads_other_rows) {
  const auto nest_to = [](const std::string& index) {
    const Function program = arith::load_program(R"(@T.prim_func
def main(A: T.Buffer((4, 9), "float32"), C: T.Buffer((4,), "float32")):
    S = T.alloc_buffer((4,))
    for i, r in T.grid(4, 9):
        with T.block("S"):
            v, w = T.axis.remap("SR", [i, r])
            with T.init():
                S[v] = T.float32(0)
            S[v] = S[v] + A[v, w]
    for i in range(4):
        with T.block("C"):
            v = T.axis.spatial(4, i)
            C[v] = S[)" + index + R"(] * T.float32(2)
)",
                                                 "rows.tir")
                                 .functions[0];
    return row_nest_to(program, {schedule::all_blocks(program).back().block().id});
  };
  const auto both = nest_to("v");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->stages.size(), 2U);
  EXPECT_EQ(both->extent, 9);
  EXPECT_FALSE(nest_to("3 - v"));
}

/// Parts of a row make a row of their own, in the same nest; windows share what they read, and do not.
TEST(RowNest, holds_what_is_made_of_the_parts_of_a_row) {
  const auto nest_to = [](const std::string& start) {
    const Function program = arith::load_program(R"(@T.prim_func
def main(A: T.Buffer((4, 90), "float32"), C: T.Buffer((4,), "float32")):
    S = T.alloc_buffer((4, 6))
    for i, p, r in T.grid(4, 6, 16):
        with T.block("S"):
            v, part, w = T.axis.remap("SSR", [i, p, r])
            with T.init():
                S[v, part] = T.float32(0)
            S[v, part] = S[v, part] + A[v, )" + start +
                                                     R"( + w]
    for i, p in T.grid(4, 6):
        with T.block("C"):
            v, part = T.axis.remap("SR", [i, p])
            with T.init():
                C[v] = T.float32(0)
            C[v] = C[v] + S[v, part]
)",
                                                 "parts.tir")
                                 .functions[0];
    return row_nest_to(program, {schedule::all_blocks(program).back().block().id});
  };
  for (const char* const start : {"T.min(part * 16, 74)", "part * 14", "0"}) {
    SCOPED_TRACE(start);
    const auto nest = nest_to(start);
    ASSERT_TRUE(nest);
    EXPECT_EQ(nest->stages.size(), start == std::string("T.min(part * 16, 74)") ? 2U : 1U);
  }
  EXPECT_TRUE(nest_to("T.min(part * 16, 74)")->reduces_parts(nest_to("T.min(part * 16, 74)")->stages[0]));
}

/// The names of the blocks that the model's schedule leaves of a program.
std::vector<std::string> blocks_by_the_model(const std::string& text) {
  const Function program = arith::load_program(text, "chain.tir").functions[0];
  const target::Target target = target::find("avx2");
  const Function scheduled = model_schedule(program, target, rules_for(target))->schedule.program();
  std::vector<std::string> names;
  for (const schedule::Path& path : schedule::all_blocks(scheduled)) names.push_back(path.block().name);
  return names;
}

/// A chain of elements is one stage; what is read for each element of a row is made once a row.
TEST(AlwaysInline, computes_nothing_twice) {
  const std::string head = R"(@T.prim_func
def main(A: T.Buffer((5, 37), "float32"), V: T.Buffer((5,), "float32"), C: T.Buffer((5, 37), "float32")):
    B = T.alloc_buffer((5, 37))
    W = T.alloc_buffer((5,))
    for i, j in T.grid(5, 37):
        with T.block("B"):
            v, w = T.axis.remap("SS", [i, j])
            B[v, w] = A[v, w] * T.float32(2)
    for i in range(5):
        with T.block("W"):
            v = T.axis.spatial(5, i)
            W[v] = )";
  const std::string tail = R"(
    for i, j in T.grid(5, 37):
        with T.block("C"):
            v, w = T.axis.remap("SS", [i, j])
            C[v, w] = B[v, w] + W[v]
)";
  EXPECT_EQ(blocks_by_the_model(head + "T.exp(V[v])" + tail), (std::vector<std::string>{"W", "C"}));
  EXPECT_EQ(blocks_by_the_model(head + "V[v]" + tail), (std::vector<std::string>{"C"}));
}

std::optional<ColumnSum> column_sum_of(const Asked& asked) {
  const Function program = program_of(asked);
  return column_sum_to(program, {schedule::all_blocks(program).back().block().id});
}

/// Of windows that overlap, lines are shared along the axis of the tile's rows: kh of images, kw where
/// channels are last. Nothing is, where windows lie beside each other or have one line.
TEST(ColumnSum, knows_which_lines_windows_share) {
  const auto lines = [](const Asked& asked) {
    const auto found = column_sum_of(asked);
    EXPECT_TRUE(found);
    return std::pair(found->overlapping, found->shared_lines);
  };
  using Lines = std::pair<std::optional<std::size_t>, std::int64_t>;
  EXPECT_EQ(lines({"maxpool", {1, 7, 11, 3, 3, 1, 1}}), Lines(4, 2));
  EXPECT_EQ(lines({"maxpool", {1, 7, 11, 3, 3, 2, 1}}), Lines(4, 1));
  EXPECT_EQ(lines({"avgpool", {1, 9, 11, 3, 5, 2, 1}, "avx2", false, "nhwc"}), Lines(5, 3));
  EXPECT_EQ(lines({"maxpool", {1, 8, 8, 3, 2, 2, 0}}), Lines(std::nullopt, 0));
  EXPECT_EQ(lines({"maxpool", {1, 8, 8, 3, 1, 1, 0}}), Lines(std::nullopt, 0));
}

/// What lines of windows make is computed once for all windows that have them, where enough have: in
/// registers, and nowhere else.
TEST(ColumnSum, shares_lines_by_the_model) {
  const target::Target target = target::find("neoverse-v1");
  for (const auto& [stride, layout, shares] : {std::tuple(1, "nchw", true), std::tuple(2, "nchw", true),
                                               std::tuple(1, "nhwc", true), std::tuple(2, "nhwc", false)}) {
    const auto made =
        model_schedule(program_of({"maxpool", {1, 9, 13, 3, 3, stride, 1}, "neoverse-v1", false, layout}),
                       target, rules_for(target));
    ASSERT_TRUE(made);
    const std::string text = print(made->schedule.program());
    EXPECT_EQ(text.find("maxpool_rf = T.alloc_buffer") != std::string::npos, shares) << text;
    EXPECT_EQ(text.find("scope=\"global\""), std::string::npos) << text;
  }
}

/// What is made of a pool is made where its results leave the registers; what is made of a product is not for
/// the rule of pools, which packs nothing.
TEST(ColumnSum, leaves_products_to_the_rules_for_them) {
  const auto found = column_sum_of;
  const auto pool = found({"avgpool", {1, 7, 5, 2, 3, 2, 1}});
  ASSERT_TRUE(pool);
  EXPECT_TRUE(pool->last);
  ASSERT_EQ(pool->sources.size(), 1U);
  EXPECT_EQ(pool->sources[0].stride, 2);
  EXPECT_TRUE(pool->sources[0].maker);
  EXPECT_EQ(pool->moved, (std::vector<std::size_t>{2, 3}));
  EXPECT_FALSE(found({"gemm_bias_relu", {16, 16, 16}}));
  EXPECT_FALSE(found({"gemm", {16, 16, 16}, "avx2", true}));  // neighbours lie in other rows
}

/// Functions are chains of steps: several vectors go side by side. Sums need none beside them.
TEST(Elements, of_functions_are_computed_some_vectors_at_a_time) {
  const target::Target target = target::find("neoverse-v1");
  for (const auto& [op, columns, lanes] :
       {std::tuple("gelu", 64, 16), std::tuple("gelu", 31, 31), std::tuple("relu", 64, 64)}) {
    const auto made = model_schedule(program_of({op, {3, columns}}), target, rules_for(target));
    ASSERT_TRUE(made);
    const std::string text = print(made->schedule.program());
    EXPECT_NE(text.find("T.vectorized(" + std::to_string(lanes) + ")"), std::string::npos) << text;
  }
}

/// On a machine of few registers, too, what applies and fits is a solution.
TEST(RowSpace, loses_nothing_of_a_small_softmax) {
  target::Target target = small("generic-x86_64");
  target.vector_registers = 8;
  const ProgramSpace space = program_space(program_of({"softmax", {6, 10}}), target, rules_for(target));
  EXPECT_GE(space.sketches.size(), 4U);
  Tried all;
  for (const SolvedSketch& solved : space.sketches) {
    const Tried tried = expect_nothing_lost(solved.sketch, target);
    all.valid += tried.valid;
    all.all += tried.all;
  }
  EXPECT_GT(all.all, all.valid);
  EXPECT_GT(all.valid, 8);
}

}  // namespace

}  // namespace ardea::rules
