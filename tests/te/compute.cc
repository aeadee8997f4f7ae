#include "ardea/te/compute.h"

#include <gtest/gtest.h>

#include "ardea/ir/print.h"
#include "ardea/support/text_file.h"
#include "ardea/te/math.h"
#include "ardea/te/print.h"
#include "tests/te/both_ways.h"
#include "tests/te/refused.h"

namespace ardea::te {
namespace {

using test::expect_elements;
using test::run_both_ways;

/// The walk-through's two products with an exponential between them.
std::vector<Tensor> two_matmuls(std::int64_t M, std::int64_t K, std::int64_t L, std::int64_t N) {
  const Tensor A = placeholder("A", {M, K}), B = placeholder("B", {K, L}), E = placeholder("E", {L, N});
  const Axis rk = reduce_axis(K, "rk"), rl = reduce_axis(L, "rl");
  const Tensor C = compute("C", {{"m", M}, {"l", L}},
                           [&](const Var& m, const Var& l) { return sum(A(m, rk) * B(rk, l), {rk}); });
  const Tensor D =
      compute("D", {{"m", M}, {"l", L}}, [&](const Var& m, const Var& l) { return exp(C(m, l)); });
  const Tensor F = compute("F", {{"m", M}, {"n", N}},
                           [&](const Var& m, const Var& n) { return sum(D(m, rl) * E(rl, n), {rl}); });
  return {A, B, E, F};
}

std::vector<Argument> arguments_of(const std::vector<Tensor>& tensors) {
  return {tensors.begin(), tensors.end()};
}

TEST(CreatePrimFunc, prints_what_the_walk_through_prints) {
  const std::string text = read_text_file(ARDEA_SOURCE_DIR "/tests/fixtures/seed002/blocks.tir");
  EXPECT_EQ(ardea::print(create_prim_func(arguments_of(two_matmuls(1024, 2048, 1024, 3072)))), text);
}

TEST(CreatePrimFunc, computes_the_literals_of_shapes_and_indices) {
  const Expr n = make_int(2048);
  const Tensor A = placeholder("A", {n + 4, n});
  const Axis r = reduce_axis(n - 2040, "r");
  const Tensor B = compute("B", {n + 0, n}, [&](const Var& y, const Var& x) {
    return sum(A(y + 0, x * 1) + A(y + 4, r + 0), {r});
  });
  const std::string text = ardea::print(create_prim_func({A, B}));
  for (const char* part :
       {"A: T.Buffer((2052, 2048)", "T.grid(2048, 2048, 8)", "A[v_i0, v_i1] + A[v_i0 + 4, v_r]"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
}

TEST(Print, writes_tensor_expressions_as_the_walk_through_does) {
  const std::vector<Tensor> tensors = two_matmuls(4, 5, 6, 7);
  EXPECT_EQ(print({tensors[3]}), R"(A = te.placeholder((4, 5), name="A")
B = te.placeholder((5, 6), name="B")
rk = te.reduce_axis((0, 5), name="rk")
C = te.compute((4, 6), lambda m, l: te.sum(A[m, rk] * B[rk, l], axis=[rk]), name="C")
D = te.compute((4, 6), lambda m, l: te.exp(C[m, l]), name="D")
E = te.placeholder((6, 7), name="E")
rl = te.reduce_axis((0, 6), name="rl")
F = te.compute((4, 7), lambda m, n: te.sum(D[m, rl] * E[rl, n], axis=[rl]), name="F")
)");
}

TEST(Placeholder, promises_the_alignment_that_it_is_given) {
  const Tensor A = placeholder("A", {4}, float32, {.alignment_bytes = 64});
  const Tensor B = compute("B", {4}, [&](const Var& i) { return A(i) + 1; });
  EXPECT_EQ(print({A}), "A = te.placeholder((4,), name=\"A\", align=64)\n");
  const Function f = create_prim_func({A, B});
  EXPECT_EQ(f.parameters[0].buffer->alignment_bytes, 64);
  EXPECT_EQ(f.parameters[1].buffer->alignment_bytes, 0);
  EXPECT_REFUSED(
      placeholder("A", {4}, float32, {.alignment_bytes = 48}),
      "placeholder(A): an alignment of 48 bytes, must be a power of two, or 0 where none is promised");
}

TEST(Compute, runs_on_odd_shapes) {
  for (const auto& [m, k, l, n] :
       std::vector<std::array<std::int64_t, 4>>{{1, 1, 1, 1}, {3, 7, 5, 2}, {13, 1, 11, 1}})
    run_both_ways(create_prim_func(arguments_of(two_matmuls(m, k, l, n))));
}

TEST(Compute, takes_symbolic_extents) {
  const Var n = size("n"), m = size("m");
  const Tensor A = placeholder("A", {n, m});
  const Axis k = reduce_axis(m, "k");
  const Tensor B = compute("B", {n}, [&](const Var& i) { return sum(A(i, k), {k}); });
  const Tensor C = compute("C", {n, m}, [&](const Var& i, const Var& j) { return A(i, j) - B(i) * 0.25; });
  const auto arrays = run_both_ways(create_prim_func({A, C}), 3, {{"n", 7}, {"m", 5}});
  expect_elements(arrays[1], [&](const auto& at) {
    double row = 0;
    for (std::int64_t j = 0; j < 5; ++j) row += arrays[0].get_float(at[0] * 5 + j);
    return arrays[0].get_float(at[0] * 5 + at[1]) - row / 4;
  });
}

TEST(Compute, takes_any_rank_by_a_vector_of_indices) {
  for (std::int64_t rank = 0; rank < 4; ++rank) {
    const Tensor A = placeholder("A", std::vector<std::int64_t>(static_cast<std::size_t>(rank), 3));
    const Tensor B = compute("B", dims(A.shape()),
                             [&](const std::vector<Var>& i) { return A.at({i.begin(), i.end()}) * 2 + 1; });
    const auto arrays = run_both_ways(create_prim_func({A, B}));
    for (std::int64_t i = 0; i < arrays[1].element_count(); ++i)
      EXPECT_EQ(arrays[1].get_float(i), static_cast<float>(arrays[0].get_float(i) * 2 + 1));
  }
}

TEST(Compute, takes_scalars_as_arguments) {
  const Tensor A = placeholder("A", {7});
  const Var scale("scale", float32);
  const Tensor B = compute("B", {7}, [&](const Var& i) { return A(i) * scale; });
  run_both_ways(create_prim_func({scale, A, B}));
}

TEST(Compute, keeps_intermediate_results_that_are_arguments) {
  const Tensor A = placeholder("A", {5});
  const Tensor B = compute("B", {5}, [&](const Var& i) { return A(i) + 1; });
  const Tensor C = compute("C", {5}, [&](const Var& i) { return B(i) * B(i); });
  const Function f = create_prim_func({A, C, B});
  EXPECT_TRUE(root_block(f)->allocations.empty());
  const auto arrays = run_both_ways(f);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(arrays[2].get_float(i), static_cast<float>(arrays[0].get_float(i) + 1));
}

TEST(Compute, gives_blocks_of_one_name_different_names) {
  Tensor x = placeholder("x", {4});
  const Tensor input = x;
  for (int i = 0; i < 3; ++i) x = compute("T", {4}, [&](const Var& v) { return x(v) + 1; });
  const std::string text = ardea::print(create_prim_func({input, x}));
  for (const char* name : {"T.block(\"T\")", "T.block(\"T_1\")", "T.block(\"T_2\")"})
    EXPECT_NE(text.find(name), std::string::npos) << text;
}

TEST(Compute, knows_every_function_of_the_language) {
  const Tensor A = placeholder("A", {11});
  const Tensor I = placeholder("I", {11}, int32);
  const Tensor floats = compute("floats", {11}, [&](const Var& i) {
    const Expr x = A(i), y = abs(x) + 0.5;
    return exp(x) + log(y) + sqrt(y) + rsqrt(y) + tanh(x) + sigmoid(x) + erf(x) + pow(y, x) + sin(x) +
           cos(x) + floor(x) + ceil(x) + round(x) + trunc(x) + ardea::min(x, 0.25) + ardea::max(x, 0.25) +
           fma(x, y, x) + if_then_else(i < 5, x, y) + select(i < 5, x, y) + 1 / y + (2 - x) * 3;
  });
  const Tensor integers = compute("integers", {11}, [&](const Var& i) {
    const Expr x = I(i);
    return popcount(x) + clz(x) + bit_and(x, bit_not(x)) + bit_or(x, bit_xor(x, x)) +
           shift_left(x, make_int(3, int32)) + shift_right(x, make_int(2, int32)) + cast(int32, i);
  });
  run_both_ways(create_prim_func({A, I, floats, integers}));
}

// What is wrong is told at the call, in a sentence.

TEST(Compute, refuses_a_reduce_axis_of_another_compute) {
  const Tensor A = placeholder("A", {4, 8});
  const Axis k = reduce_axis(8, "k");
  const Tensor B = compute("B", {4}, [&](const Var& i) { return sum(A(i, k), {k}); });
  EXPECT_REFUSED(
      compute("C", {4}, [&](const Var& i) { return max(A(i, k), {k}); }),
      "compute(C): the reduce axis k belongs to compute(B) already; make another reduce_axis for C");
}

TEST(Compute, lets_an_axis_go_with_its_compute) {
  const Tensor A = placeholder("A", {4, 8});
  const Axis k = reduce_axis(8, "k");
  compute("B", {4}, [&](const Var& i) { return sum(A(i, k), {k}); });
  EXPECT_NO_THROW(compute("C", {4}, [&](const Var& i) { return sum(A(i, k), {k}); }));
}

TEST(Compute, refuses_another_number_of_indices) {
  const Tensor A = placeholder("A", {4, 8});
  EXPECT_REFUSED(compute("B", A.shape(), [&](const Var& i) { return A(i, i); }),
                 "compute(B): its shape has 2 dimensions, but its function takes 1 index; give it one index "
                 "a dimension");
  EXPECT_REFUSED(compute("B", {4}, [&](const Var& i) { return A(i); }),
                 "compute(B): A: it has 2 dimensions, but is indexed with 1 index");
}

TEST(Compute, names_the_stage_and_the_operands_of_another_type) {
  const Tensor A = placeholder("A", {4, 8}), H = placeholder("H", {4}, float16);
  EXPECT_REFUSED(compute("B", {4}, [&](const Var& i) { return A(i, i) * H(i); }),
                 "compute(B): *: the operands A[i0, i0] and H[i0] are float32 and float16; cast one of them");
  EXPECT_REFUSED(compute("B", {4}, [&](const Var& i) { return sum(H(i), {}); }),
                 "compute(B): sum: there is no axis to reduce over; make one with reduce_axis");
  EXPECT_REFUSED(compute("B", {4}, [&](const Var& i) { return H(i) * A(i, H(i)); }),
                 "compute(B): A[…]: index 2 is float16, must be an integer");
}

TEST(Compute, refuses_a_reduce_axis_that_nothing_reduces_over) {
  const Tensor A = placeholder("A", {4, 8});
  const Axis k = reduce_axis(8, "k"), l = reduce_axis(8, "l");
  EXPECT_REFUSED(
      compute("B", {4}, [&](const Var& i) { return A(i, k); }),
      "compute(B): its value uses the reduce axis k, and nothing reduces over it; write te::sum(…, {k}), "
      "or max, min, …");
  EXPECT_REFUSED(
      compute("B", {4}, [&](const Var& i) { return sum(A(i, k) * A(i, l), {k}); }),
      "compute(B): what it reduces uses the reduce axis l, which is not among the axes (k) of sum; add it");
  EXPECT_REFUSED(
      compute("B", {4}, [&](const Var& i) { return sum(A(i, k), {k}, Expr(l) < make_int(3)); }),
      "compute(B): what it reduces uses the reduce axis l, which is not among the axes (k) of sum; add it");
  // Of another compute it is one, too.
  const Tensor S = compute("S", {4}, [&](const Var& i) { return sum(A(i, k), {k}); });
  EXPECT_REFUSED(
      compute("B", {4}, [&](const Var& i) { return S(i) + A(i, k); }),
      "compute(B): its value uses the reduce axis k, and nothing reduces over it; write te::sum(…, {k}), "
      "or max, min, …");
}

TEST(Compute, names_a_block_as_the_buffer_that_it_fills) {
  const Tensor A = placeholder("A", {4});
  const Tensor first = compute("B", {4}, [&](const Var& i) { return A(i) + 1; });
  const Tensor second = compute("B", {4}, [&](const Var& i) { return first(i) * 2; });
  const Tensor third = compute("A", {4}, [&](const Var& i) { return second(i) * 3; });
  const std::string text = print(create_prim_func({A, third, second}));
  // Parameters have their names first: second is B, the one that only third's makers read is B_1.
  EXPECT_NE(text.find("A_1: T.Buffer((4,), \"float32\"), B: T.Buffer((4,), \"float32\")"), std::string::npos)
      << text;
  for (const std::string name : {"A_1", "B", "B_1"}) {
    const std::size_t block = text.find("T.block(\"" + name + "\")");
    ASSERT_NE(block, std::string::npos) << name << "\n" << text;
    const std::string after = text.substr(block, text.find("T.block", block + 1) - block);
    EXPECT_NE(after.find("            " + name + "[v_i0] = "), std::string::npos) << name << "\n" << after;
  }
}

TEST(Compute, refuses_what_is_not_defined) {
  const Tensor A = placeholder("A", {4, 8});
  const Var x("x");
  const Tensor B = compute("B", {4}, [&](const Var& i) { return A(i, x); });
  EXPECT_REFUSED(
      create_prim_func({A, B}),
      "create_prim_func(main): x is used, but is neither an argument, an extent of an argument nor an axis "
      "of the computation that uses it; list it among the arguments, or among the axes of the reduction if "
      "it is one");
  EXPECT_REFUSED(create_prim_func({B}),
                 "create_prim_func(main): A is read, but is not among the arguments; add it");
  EXPECT_REFUSED(create_prim_func({A}),
                 "create_prim_func(main): no argument is computed; add the tensors that you want");
  EXPECT_REFUSED(create_prim_func({A, A, B}), "create_prim_func(main): A is given twice");
}

TEST(Compute, refuses_bad_extents_and_literals) {
  EXPECT_REFUSED(placeholder("A", {4, 0}), "placeholder(A): an extent is 0, must be at least 1");
  EXPECT_REFUSED(compute("B", {-3}, [&](Var i) { return i; }),
                 "compute(B): extent 1 is -3, must be at least 1");
  const Tensor I = placeholder("I", {4}, int32);
  EXPECT_REFUSED(
      I(0) * 0.5,
      "the literal 0.5 stands beside an expression of type int32; cast the expression to a float, or write "
      "an integer");
}

}  // namespace
}  // namespace ardea::te
