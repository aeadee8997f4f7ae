#include <gtest/gtest.h>

#include "ardea/arith/load.h"
#include "tests/compile/both_ways.h"

/// Whole programs, from text through lowering and LLVM, against the interpreter.

namespace ardea::test {
namespace {

Function example(const std::string& name) {
  return arith::load_file(std::string(ARDEA_SOURCE_DIR) + "/examples/" + name).functions.at(0);
}

TEST(Programs, gemm_with_prime_extents) {
  expect_same_both_ways(program(R"(
@T.prim_func
def gemm(A: T.Buffer((31, 37), "float32"), B: T.Buffer((37, 19), "float32"), C: T.Buffer((31, 19), "float32")):
    T.func_attr({"tir.noalias": T.bool(True)})
    for i, j, r in T.grid(31, 19, 37):
        with T.block("C"):
            vi, vj, vr = T.axis.remap("SSR", [i, j, r])
            with T.init():
                C[vi, vj] = T.float32(0.0)
            C[vi, vj] = C[vi, vj] + A[vi, vr] * B[vr, vj]
)"),
                        1);
}

TEST(Programs, convolution_with_a_halo) { expect_same_both_ways(example("conv2d.tir"), 2); }

TEST(Programs, argmax_with_two_results) { expect_same_both_ways(example("argmax.tir"), 3); }

TEST(Programs, softmax_up_to_the_library_s_exp) { expect_same_both_ways(example("softmax.tir"), 4, {}, 64); }

TEST(Programs, gemm_of_any_sizes_in_parallel) {
  expect_same_at_sizes(example("dynamic_gemm.tir"), 5, {{7, 11, 13}, {1, 1, 1}, {31, 1, 2}, {2, 37, 5}});
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

/// One program that applies every expression of the list to the elements of A, each into a buffer of its own.
struct Output {
  std::string type, value;  ///< of A[vi]
};
Function apply_all(const std::string& from, const std::vector<Output>& outputs) {
  std::string head = "@T.prim_func\ndef apply(A: T.Buffer((53,), \"" + from + "\")", body;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const std::string name = "B" + std::to_string(k);
    head += ", " + name + ": T.Buffer((53,), \"" + outputs[k].type + "\")";
    body += "            " + name + "[vi] = " + outputs[k].value + "\n";
  }
  return program(
      head +
      "):\n    for i in range(53):\n        with T.block(\"B\"):\n            vi = T.axis.spatial(53, i)\n" +
      body);
}

TEST(Programs, cast_between_all_types) {
  for (DataType from : element_types) {
    std::vector<Output> outputs;
    for (DataType to : element_types)
      outputs.push_back({to_string(to), "T.Cast(\"" + to_string(to) + "\", A[vi])"});
    expect_same_both_ways(apply_all(to_string(from), outputs), 7);
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
            C[vi, 4] = A[vi] << B[vi]
            C[vi, 5] = A[vi] >> B[vi]
)");
  expect_same_both_ways(f, 8);
}

TEST(Programs, mathematics_within_a_few_ulps) {
  for (const std::string type : {"float32", "float64", "float16", "bfloat16"}) {
    std::vector<Output> outputs;
    for (const std::string name :
         {"exp",   "exp2", "exp10", "expm1", "tanh", "sigmoid", "erf",       "sin",   "cos",
          "tan",   "atan", "sinh",  "cosh",  "log",  "log2",    "log10",     "log1p", "sqrt",
          "rsqrt", "asin", "acos",  "floor", "ceil", "round",   "nearbyint", "trunc", "abs"})
      outputs.push_back({type, "T." + name + "(A[vi])"});
    for (const std::string name : {"pow", "atan2", "fmod", "copysign"})
      outputs.push_back({type, "T." + name + "(A[vi], A[52 - vi])"});
    for (const std::string name : {"isnan", "isinf", "isfinite"})
      outputs.push_back({"bool", "T." + name + "(T.log(A[vi]))"});
    outputs.push_back({type, "T.fma(A[vi], A[vi], A[52 - vi])"});
    expect_same_both_ways(apply_all(type, outputs), 9, {}, 4);
    if (HasFatalFailure()) return;
  }
}

TEST(Programs, compile_the_same_on_many_calls) {
  const Function f = example("gemm.tir");
  EXPECT_EQ(compile::assembly({{}, {f}}, host()), compile::assembly({{}, {f}}, host()));
}

}  // namespace
}  // namespace ardea::test
