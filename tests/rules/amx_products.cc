#include <gtest/gtest.h>

#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"
#include "ardea/lower/pipeline.h"
#include "ardea/ops/registry.h"
#include "ardea/rules/sketch.h"
#include "ardea/space/solver.h"
#include "tests/rules/answers.h"
#include "tests/rules/laws.h"

/// Products on tile registers: where A is whole tiles they are loaded from it in place, or from panels.

namespace ardea::rules {

namespace {

ops::Workload product_of(std::vector<std::int64_t> sizes, DataType left) {
  const bool is_bytes = left != bfloat16;
  return ops::make_workload({.op = "gemm",
                             .sizes = std::move(sizes),
                             .in = is_bytes ? std::vector<DataType>{left, int8} : std::vector<DataType>{left},
                             .acc = is_bytes ? int32 : float32,
                             .out = is_bytes ? int32 : float32});
}

bool says(const std::vector<Way>& ways, const std::string& words) {
  return to_string(ways).find(words) != std::string::npos;
}

/// The answers to "A in panels".
constexpr std::size_t in_place = 0, in_panels = 1;

/// What is left of the tests that windows of instructions lie in their memory, when all passes but the last
/// have run.
bool tests_windows(const Function& lowered) { return print(lowered).find("T.fail") != std::string::npos; }

TEST(AmxProducts, read_whole_tiles_in_place_or_from_panels) {
  const target::Target target = target::find("sapphirerapids");
  for (const DataType left : {bfloat16, uint8}) {
    // Three tiles of rows, which two at a time do not divide; columns that are no whole tiles.
    const Function program = ops::create_function(product_of({48, 64, 40}, left));
    const Answers answers(program);
    // Ways of B go with those of A by turns.
    for (const std::vector<std::size_t>& ways :
         {std::vector<std::size_t>{0, in_place, 0, 1}, std::vector<std::size_t>{0, in_panels, 0, 0}}) {
      Derivation d(program, target, ways);
      derive(d, rules_for(target));
      const Sketch sketch = make_sketch(program, d);
      EXPECT_TRUE(says(sketch.ways, ways[1] == in_place ? "A in panels = no" : "A in panels = yes"));
      EXPECT_TRUE(says(sketch.ways, ways[3] == 1 ? "row by row = yes" : "row by row = no"));
      for (const space::Point& point : space::Solver(sketch.system).sample(2, 5).points) {
        SCOPED_TRACE(to_string(left) + ": " + in_words(sketch, point));
        const Function lowered = lower::lower_unpacked(replayed_by_the_law(sketch, point), target);
        EXPECT_FALSE(tests_windows(lowered)) << print(lowered);
        answers.expect_of(lowered);
      }
    }
  }
}

TEST(AmxProducts, are_read_in_place_by_the_model) {
  const target::Target target = target::find("sapphirerapids");
  for (const DataType left : {bfloat16, uint8, int8}) {
    Derivation d(ops::create_function(product_of({48, 64, 40}, left)), target);
    derive(d, rules_for(target));
    EXPECT_TRUE(says(d.ways(), "A in panels = no")) << to_string(d.ways());
  }
}

/// Rows that end before a tile does, or too few of them: a tile loaded in place would reach beyond them.
TEST(AmxProducts, read_what_is_padded_from_panels) {
  const target::Target target = target::find("sapphirerapids");
  for (const DataType left : {bfloat16, uint8})
    for (const std::vector<std::int64_t>& sizes :
         {std::vector<std::int64_t>{47, 64, 32}, {48, left == bfloat16 ? 48 : 96, 32}}) {
      const Function program = ops::create_function(product_of(sizes, left));
      Derivation d(program, target);
      derive(d, rules_for(target));
      EXPECT_FALSE(says(d.ways(), "A in panels")) << to_string(d.ways());
      const Function lowered = lower::lower_unpacked(d.steps().program(), target);
      EXPECT_FALSE(tests_windows(lowered)) << print(lowered);
      Answers(program).expect_of(lowered);
    }
}

/// What instructions touch tells the tiles of threads apart: of AMX, and of vectors and pairs of rows.
TEST(TensorProducts, share_tiles_of_rows_among_threads) {
  struct Asked {
    const char* target;
    DataType left;
    std::vector<std::int64_t> sizes;
  };
  for (const Asked& asked :
       {Asked{"sapphirerapids", bfloat16, {96, 64, 128}}, Asked{"sapphirerapids", uint8, {127, 127, 127}},
        Asked{"cascade-lake", uint8, {127, 127, 127}}, Asked{"neoverse-v1", int8, {127, 127, 127}}}) {
    const target::Target target = target::find(asked.target);
    Derivation d(ops::create_function(product_of(asked.sizes, asked.left)), target);
    derive(d, rules_for(target));
    const std::string lowered = print(lower::lower_unpacked(d.steps().program(), target));
    EXPECT_NE(lowered.find("T.tensor_instruction"), std::string::npos) << asked.target;
    EXPECT_NE(lowered.find("for m_0 in T.parallel("), std::string::npos) << asked.target << "\n" << lowered;
  }
}

/// A is made of X, element by element, for the product alone.
const char* const rounded_first = R"(
@T.prim_func
def main(X: T.Buffer((32, 64), "float32"), B: T.Buffer((64, 32), "bfloat16"), C: T.Buffer((32, 32), "float32")):
    T.func_attr({"tir.noalias": T.bool(True)})
    A = T.alloc_buffer((32, 64), "bfloat16")
    for i, k in T.grid(32, 64):
        with T.block("A"):
            vi, vk = T.axis.remap("SS", [i, k])
            A[vi, vk] = T.Cast("bfloat16", X[vi, vk])
    for i, j, k in T.grid(32, 32, 64):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + T.Cast("float32", A[vi, vk]) * T.Cast("float32", B[vk, vj])
)";

TEST(AmxProducts, compute_in_panels_what_a_is_made_of) {
  const target::Target target = target::find("sapphirerapids");
  const Function program = parse_function(rounded_first);
  Derivation by_model(program, target);
  derive(by_model, rules_for(target));
  EXPECT_TRUE(says(by_model.ways(), "A in panels = yes")) << to_string(by_model.ways());
  Derivation other(program, target, {0, in_place});
  derive(other, rules_for(target));
  EXPECT_TRUE(says(other.ways(), "A in panels = no")) << to_string(other.ways());
  const Answers answers(program);
  answers.expect_of(lower::lower_unpacked(by_model.steps().program(), target));
  const Sketch sketch = make_sketch(program, other);
  ASSERT_TRUE(sketch.model.has_value());
  answers.expect_of(lower::lower_unpacked(replayed_by_the_law(sketch, *sketch.model), target));
}

}  // namespace

}  // namespace ardea::rules
