#include <filesystem>
#include <fstream>

#include "ardea/arith/load.h"
#include "tests/build/both_ways.h"

/// Whole programs, from text through lowering and LLVM, against the interpreter.

namespace ardea::test {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

Function example(const std::string& name) {
  return arith::load_file(std::string(ARDEA_SOURCE_DIR) + "/examples/" + name).functions.at(0);
}

TEST(Programs, gemm_with_prime_extents) { expect_same_both_ways(example("gemm.tir"), 1); }

TEST(Programs, convolution_with_a_halo) { expect_same_both_ways(example("conv2d.tir"), 2); }

TEST(Programs, argmax_with_two_results) { expect_same_both_ways(example("argmax.tir"), 3); }

TEST(Programs, softmax_up_to_the_library_s_exp) { expect_same_both_ways(example("softmax.tir"), 4, {}, 64); }

TEST(Programs, gemm_of_any_sizes_in_parallel) {
  for (const auto& sizes : {std::vector<std::int64_t>{7, 11, 13}, {1, 1, 1}, {31, 1, 2}, {2, 37, 5}})
    expect_same_both_ways(example("dynamic_gemm.tir"), 5, sizes);
}

class Arithmetic : public testing::TestWithParam<std::string> {};

TEST_P(Arithmetic, of_every_type_that_computes) {
  const std::string text = replaced(R"(
@T.prim_func
def mix(A: T.Buffer((7, 13), "TYPE"), B: T.Buffer((7, 13), "TYPE"), C: T.Buffer((7, 13), "TYPE"), D: T.Buffer((7,), "TYPE")):
    for i, j in T.grid(7, 13):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = T.max(A[vi, vj] * B[vi, vj] - A[vi, vj], T.min(A[vi, vj], B[vi, vj])) + T.Select(A[vi, vj] < B[vi, vj], A[vi, vj], T.Cast("TYPE", 3))
    for i, j in T.grid(7, 13):
        with T.block("D"):
            vi, vj = T.axis.remap("SR", [i, j])
            with T.init():
                D[vi] = T.Cast("TYPE", 0)
            D[vi] = D[vi] + C[vi, vj]
)",
                                    "TYPE", GetParam());
  expect_same_both_ways(program(text), 6);
}

INSTANTIATE_TEST_SUITE_P(Types, Arithmetic,
                         testing::Values("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
                                         "uint64", "float16", "bfloat16", "float32", "float64"));

TEST(Programs, cast_between_all_types_and_back) {
  for (DataType from : element_types)
    for (const char* to : {"float32", "int32", "uint8", "bfloat16", "float8_e4m3", "int4", "bool"}) {
      const std::string text = replaced(replaced(R"(
@T.prim_func
def cast(A: T.Buffer((3, 11), "FROM"), B: T.Buffer((3, 11), "INTO"), C: T.Buffer((3, 11), "float64")):
    for i, j in T.grid(3, 11):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = T.Cast("INTO", A[vi, vj])
    for i, j in T.grid(3, 11):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = T.Cast("float64", B[vi, vj])
)",
                                                 "FROM", to_string(from)),
                                        "INTO", to);
      const Function f = program(text);
      expect_same_both_ways(f, 7);
      if (HasFatalFailure()) return;
    }
}

TEST(Programs, division_and_shifts_by_anything) {
  const Function f = program(R"(
@T.prim_func
def divide(A: T.Buffer((97,), "int32"), B: T.Buffer((97,), "int32"), C: T.Buffer((97, 6), "int32")):
    for i in range(97):
        with T.block("C"):
            vi = T.axis.spatial(97, i)
            C[vi, 0] = A[vi] // (B[vi] * 2 + 1)
            C[vi, 1] = A[vi] % (B[vi] * 2 + 1)
            C[vi, 2] = T.truncdiv(A[vi], B[vi] * 2 + 1)
            C[vi, 3] = T.truncmod(A[vi], B[vi] * 2 + 1)
            C[vi, 4] = T.shift_left(A[vi], B[vi])
            C[vi, 5] = T.shift_right(A[vi], B[vi])
)");
  expect_same_both_ways(f, 8);
}

TEST(Programs, mathematics_within_a_few_ulps) {
  for (const char* name : {"exp",   "exp2", "exp10", "expm1", "tanh", "sigmoid", "erf",       "sin",   "cos",
                           "tan",   "atan", "sinh",  "cosh",  "log",  "log2",    "log10",     "log1p", "sqrt",
                           "rsqrt", "asin", "acos",  "floor", "ceil", "round",   "nearbyint", "trunc", "abs"})
    for (const char* type : {"float32", "float64", "float16"}) {
      const std::string text = replaced(replaced(R"(
@T.prim_func
def apply(A: T.Buffer((101,), "TYPE"), B: T.Buffer((101,), "TYPE")):
    for i in range(101):
        with T.block("B"):
            vi = T.axis.spatial(101, i)
            B[vi] = T.NAME(A[vi])
)",
                                                 "NAME", name),
                                        "TYPE", type);
      expect_same_both_ways(program(text), 9, {}, 4);
      if (HasFatalFailure()) return;
    }
}

TEST(Programs, compile_the_same_on_many_calls) {
  const Function f = example("gemm.tir");
  EXPECT_EQ(build::assembly({{}, {f}}, host()), build::assembly({{}, {f}}, host()));
}

}  // namespace
}  // namespace ardea::test
