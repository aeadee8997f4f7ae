#include <map>

#include <gtest/gtest.h>

#include "ardea/compile/compile.h"
#include "tests/compile/both_ways.h"

/// Vectorized loops, from text to instructions.

namespace ardea::test {
namespace {

int count(const std::string& text, const std::string& word) {
  int found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

Module alone(Function f) { return Module{.functions = {std::move(f)}}; }

/// Rows of B and C by vectors of 16, 64 columns unless something else is asked for.
Function tiled_gemm(const std::string& columns = "64") {
  return program(replaced(R"(
@T.prim_func
def gemm(A: T.Buffer((8, 32), "float32"), B: T.Buffer((32, N), "float32"), C: T.Buffer((8, N), "float32")):
    T.func_attr({"tir.noalias": T.bool(True)})
    for i, j_0, k in T.grid(8, (N + 15) // 16, 32):
        for j_1 in T.vectorized(16):
            with T.block("C"):
                vi, vk = T.axis.remap("SR", [i, k])
                vj = T.axis.spatial(N, j_0 * 16 + j_1)
                T.where(j_0 * 16 + j_1 < N)
                with T.init():
                    C[vi, vj] = T.float32(0.0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)",
                          "N", columns));
}

TEST(Vectors, rows_are_single_instructions) {
  const Module module = alone(tiled_gemm());
  const std::string wide = compile::assembly(module, target::find("skylake-avx512"));
  EXPECT_GT(count(wide, "vfmadd"), 0);
  EXPECT_GT(count(wide, "zmm"), 0);
  EXPECT_EQ(count(wide, "gather"), 0);
  EXPECT_EQ(count(compile::llvm_ir(module, target::find("skylake-avx512")), "llvm.masked"), 0);
  EXPECT_GT(count(compile::assembly(module, target::find("avx2")), "ymm"), 0);
  EXPECT_GT(count(compile::assembly(module, target::find("neoverse-n1")), "fmla"), 0);
}

TEST(Vectors, tails_of_known_size_need_no_masks_and_others_do) {
  const target::Target target = target::find("skylake-avx512");
  EXPECT_EQ(count(compile::llvm_ir(alone(tiled_gemm("68")), target), "llvm.masked"), 0);
  const Function any_size = program(R"(
@T.prim_func
def scale(x: T.handle, y: T.handle):
    T.func_attr({"tir.noalias": T.bool(True)})
    n = T.int64()
    X = T.match_buffer(x, (n,), "float32")
    Y = T.match_buffer(y, (n,), "float32")
    for i_0 in range((n + 15) // 16):
        for i_1 in T.vectorized(16):
            if i_0 * 16 + i_1 < n:
                Y[i_0 * 16 + i_1] = X[i_0 * 16 + i_1] * T.float32(2.0)
)");
  const std::string text = compile::llvm_ir(alone(any_size), target);
  EXPECT_GT(count(text, "@llvm.masked.load"), 0);
  EXPECT_GT(count(text, "@llvm.masked.store"), 0);
  EXPECT_GT(count(text, "store <16 x float>"), 0);
  expect_same_at_sizes(any_size, 11, {{1}, {2}, {15}, {16}, {17}, {31}, {32}, {33}, {100}});
}

TEST(Vectors, gemm_of_any_width_is_the_interpreters) {
  for (const char* columns : {"1", "15", "16", "17", "37", "64"})
    expect_same_both_ways(tiled_gemm(columns), 12);
}

class Extent : public testing::TestWithParam<std::string> {};

TEST_P(Extent, of_every_type_is_the_interpreters) {
  for (const char* extent : {"1", "2", "3", "7", "16", "37", "64", "100"})
    expect_same_both_ways(program(replaced(replaced(R"(
@T.prim_func
def mix(A: T.Buffer((N, 3), "TYPE"), B: T.Buffer((N,), "TYPE"), C: T.Buffer((3, N), "TYPE"), D: T.Buffer((N,), "bool")):
    for i in T.vectorized(N):
        for j in range(3):
            C[j, i] = T.max(A[i, j] * B[i] - A[N - 1 - i, j], T.min(A[i, j], B[i])) + T.Select(A[i, j] < B[i], A[i, j], T.Cast("TYPE", 3))
        if i % 3 != 1 and A[i, 0] < B[i]:
            C[0, i] = B[i]
        D[i] = C[0, i] == B[i]
)",
                                                    "TYPE", GetParam()),
                                           "N", extent)),
                          13);
}

INSTANTIATE_TEST_SUITE_P(Vectors, Extent,
                         testing::Values("int8", "int64", "uint16", "float16", "bfloat16", "float32",
                                         "float64"));

TEST(Vectors, functions_stay_within_their_error) {
  expect_same_both_ways(program(R"(
@T.prim_func
def functions(A: T.Buffer((53,), "float32"), B: T.Buffer((53,), "float32"), C: T.Buffer((53,), "float64"), D: T.Buffer((53,), "float16")):
    for i in T.vectorized(53):
        B[i] = T.exp(A[i]) + T.tanh(A[i]) * T.erf(A[i])
        C[i] = T.sin(T.Cast("float64", A[i])) + T.atan2(T.Cast("float64", A[i]), T.float64(2.0)) + T.fmod(T.Cast("float64", A[i]), T.float64(0.75))
        D[i] = T.sigmoid(T.Cast("float16", A[i]))
)"),
                        14, {}, 64);
}

TEST(Vectors, a_lane_that_leaves_its_memory_is_named) {
  const Function f = program(R"(
@T.prim_func
def gather(index: T.Buffer((16,), "int32"), X: T.Buffer((8,), "float32"), Y: T.Buffer((16,), "float32")):
    for i in T.vectorized(16):
        Y[i] = X[index[i]]
)");
  const std::vector<runtime::Array> arguments = {runtime::Array::zeros({16}, int32),
                                                 runtime::Array::zeros({8}, float32),
                                                 runtime::Array::zeros({16}, float32)};
  const runtime::Function compiled = compile::callable(f, host());
  for (std::int64_t i = 0; i < 8; ++i) arguments[1].set_float(i, double(i));
  for (std::int64_t i = 0; i < 16; ++i) arguments[0].set_int(i, (i * 5) % 8);
  compiled(arguments[0], arguments[1], arguments[2]);
  for (std::int64_t i = 0; i < 16; ++i) EXPECT_EQ(arguments[2].get_float(i), double((i * 5) % 8));
  arguments[0].set_int(11, 8);
  EXPECT_EQ(error_of([&] { compiled(arguments[0], arguments[1], arguments[2]); }),
            "gather: reads X at index 8 in dimension 1, whose extent is 8");
}

}  // namespace
}  // namespace ardea::test
