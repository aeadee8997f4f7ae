#include <gtest/gtest.h>

#include "ardea/compile/compile_by_c.h"
#include "ardea/interp/interpreter.h"
#include "ardea/ir/print.h"
#include "ardea/te/compute.h"
#include "ardea/te/extern.h"
#include "ardea/te/print.h"
#include "ardea/te/scan.h"
#include "tests/te/both_ways.h"
#include "tests/te/refused.h"

/// Inputs that do not lie row by row without gaps.

namespace ardea::te {
namespace {

using runtime::Array;
using test::run_both_ways;

/// C = A · B, with the rows of A as far apart as the caller's array has them.
Function product(const Shape& a_strides, const Shape& b_strides) {
  const Var m = size("m"), k = size("k");
  const Tensor A = placeholder("A", {m, k}, float32, {.strides = a_strides}),
               B = placeholder("B", {k, 5}, float32, {.strides = b_strides});
  const Axis r = reduce_axis(k, "r");
  const Tensor C =
      compute("C", {m, 5}, [&](const Var& i, const Var& j) { return sum(A(i, r) * B(r, j), {r}); });
  return create_prim_func({A, B, C});
}

void expect_product(const Array& a, const Array& b, const Array& c) {
  const std::int64_t k = a.shape()[1];
  for (std::int64_t i = 0; i < c.shape()[0]; ++i)
    for (std::int64_t j = 0; j < 5; ++j) {
      double want = 0;
      for (std::int64_t r = 0; r < k; ++r) want += a.get_float(i * k + r) * b.get_float(r * 5 + j);
      ASSERT_NEAR(c.get_float(i * 5 + j), want, 1e-4) << i << ", " << j;
    }
}

TEST(Strides, of_rows_columns_and_both_are_followed_in_every_way_of_running) {
  const Var lda = size("lda"), s = size("s"), t = size("t");
  const std::vector<std::pair<Shape, Shape>> layouts = {{{16, 1}, {5, 1}},    {{lda, 1}, {8, 1}},
                                                        {{1, lda}, {lda, 1}}, {{1, lda}, {1, 31}},
                                                        {{s, t}, {t, s}},     {{0, 1}, {0, 0}}};
  for (const auto& [a_strides, b_strides] : layouts)
    for (const auto& [m, k] :
         std::vector<std::pair<std::int64_t, std::int64_t>>{{7, 11}, {1, 13}, {3, 1}, {1, 1}}) {
      const Function f = product(a_strides, b_strides);
      const auto arrays = run_both_ways(f, 5, {{"m", m}, {"k", k}});
      expect_product(arrays[0], arrays[1], arrays[2]);
    }
}

TEST(Strides, are_the_same_in_c) {
  const Var lda = size("lda");
  const runtime::Function f =
      compile::compile_by_c(product({lda, 1}, {1, 9}), target::host(), {.contract = false});
  const Array a = Array::zeros({3, 7}, {10, 1}, float32), b = Array::zeros({7, 5}, {1, 9}, float32),
              c = Array::zeros({3, 5}, float32);
  for (std::int64_t i = 0; i < 21; ++i) a.set_float(i, static_cast<double>(i % 5) - 2);
  for (std::int64_t i = 0; i < 35; ++i) b.set_float(i, static_cast<double>(i % 7) - 3);
  f(a, b, c);
  expect_product(a, b, c);
}

TEST(Strides, are_printed_and_read_back) {
  const Var lda = size("lda");
  const Tensor A = placeholder("A", {3, 4}, int8, {.strides = {lda, 1}});
  const Tensor B = compute("B", {3}, [&](const Var& i) { return A(i, i); });
  EXPECT_EQ(print({B}),
            "A = te.placeholder((3, 4), name=\"A\", dtype=\"int8\", strides=(lda, 1))\n"
            "B = te.compute((3,), lambda i0: A[i0, i0], name=\"B\")\n");
  EXPECT_NE(ardea::print(create_prim_func({A, B})).find("strides=[lda, 1]"), std::string::npos)
      << ardea::print(create_prim_func({A, B}));
}

TEST(Strides, may_appear_in_the_computation) {
  const Var lda = size("lda");
  const Tensor A = placeholder("A", {3, 4}, int64, {.strides = {lda, 1}});
  const Tensor B = compute("B", {3, 4}, [&](const Var& i, const Var& j) { return A(i, j) + lda; });
  const auto arrays = run_both_ways(create_prim_func({A, B}), 1, {{"lda", 9}});
  EXPECT_EQ(arrays[0].strides(), (std::vector<std::int64_t>{9, 1}));
  for (std::int64_t i = 0; i < 12; ++i) EXPECT_EQ(arrays[1].get_int(i), arrays[0].get_int(i) + 9);
}

TEST(Strides, that_an_array_does_not_have_are_refused_at_the_call) {
  const Var lda = size("lda");
  const Tensor A = placeholder("A", {2, 3}, float32, {.strides = {lda, 1}}),
               B = placeholder("B", {2, 3}, float32, {.strides = {lda, 1}});
  const Tensor C = compute("C", {2, 3}, [&](const Var& i, const Var& j) { return A(i, j) + B(i, j); });
  const Function f = create_prim_func({A, B, C}, "add");
  const runtime::Function compiled = compile::callable(f, target::host());
  const Array c = Array::zeros({2, 3}, float32);
  const auto with_strides = [](std::int64_t rows, std::int64_t columns) {
    return Array::zeros({2, 3}, {rows, columns}, float32);
  };
  compiled(with_strides(8, 1), with_strides(8, 1), c);
  compiled(Array::zeros({2, 3}, float32), Array::zeros({2, 3}, float32), c);
  const std::string other =
      "add: argument B (2 of 3): the stride of dimension 1 is 5 elements, expected 8 (lda); pass an array or "
      "a copy with that stride";
  EXPECT_REFUSED(compiled(with_strides(8, 1), with_strides(5, 1), c), other);
  EXPECT_REFUSED(
      compiled(with_strides(8, 2), with_strides(8, 1), c),
      "add: argument A (1 of 3): the stride of dimension 2 is 2 elements, expected 1; pass an array "
      "or a copy with that stride");
  EXPECT_REFUSED(interp::run(f, {with_strides(8, 1), with_strides(5, 1), c}), other);
}

TEST(Strides, of_dimensions_with_one_element_may_be_anything) {
  const Tensor A = placeholder("A", {1, 3}, float32, {.strides = {16, 1}});
  const Tensor B = compute("B", {1, 3}, [&](const Var& i, const Var& j) { return A(i, j); });
  const Function f = create_prim_func({A, B});
  const Array a = Array::zeros({1, 3}, {7, 1}, float32), b = Array::zeros({1, 3}, float32);
  a.set_float(2, 5);
  interp::run(f, {a, b});
  EXPECT_EQ(b.get_float(2), 5);
  a.set_float(2, 6);
  compile::callable(f, target::host())(a, b);
  EXPECT_EQ(b.get_float(2), 6);
}

TEST(Strides, that_several_arrays_share_are_those_of_the_first_with_more_than_one_row) {
  const Var lda = size("lda"), m = size("m");
  const Tensor A = placeholder("A", {m, 3}, float32, {.strides = {lda, 1}}),
               B = placeholder("B", {4, 3}, float32, {.strides = {lda, 1}});
  const Tensor C = compute("C", {4, 3}, [&](const Var& i, const Var& j) { return A(0, j) + B(i, j); });
  const Function f = create_prim_func({A, B, C});
  const Array a = Array::zeros({1, 3}, {3, 1}, float32), b = Array::zeros({4, 3}, {8, 1}, float32),
              c = Array::zeros({4, 3}, float32);
  b.set_float(11, 5);
  interp::run(f, {a, b, c});
  EXPECT_EQ(c.get_float(11), 5);
  b.set_float(11, 6);
  compile::callable(f, target::host())(a, b, c);
  EXPECT_EQ(c.get_float(11), 6);
}

TEST(Strides, that_make_no_sense_are_refused_where_they_are_written) {
  EXPECT_REFUSED(placeholder("A", {2, 3}, float32, {.strides = {1}}),
                 "placeholder(A): 1 stride for 2 dimensions; give one for each");
  EXPECT_REFUSED(placeholder("A", {2, 3}, float32, {.strides = {3, -1}}),
                 "placeholder(A): the stride of dimension 2 is -1, must not be negative; index it from the "
                 "other end");
  EXPECT_REFUSED(placeholder("A", {2, 3}, float32, {.strides = {Expr(), 1}}),
                 "placeholder(A): a stride is an empty expression");
  const Tensor A = placeholder("A", {4, 3}, float32, {.strides = {8, 1}});
  EXPECT_REFUSED(call_registered("sorted", "sort_rows", {A}, {{"S", {4, 3}}}),
                 "call_registered(sorted): A has strides, but sort_rows takes arrays without gaps; give it a "
                 "compute that copies A");
  const Tensor init = compute("init", {1, 3}, [&](const Var&, const Var& j) { return A(0, j); });
  const Tensor next = compute("next", {4, 3}, [&](const Var& t, const Var& j) { return A(t - 1, j) * 2; });
  EXPECT_REFUSED(scan("powers", {init}, {next}, {A}),
                 "scan(powers): state A has strides, but its memory is the scan's own; leave them out");
}

}  // namespace
}  // namespace ardea::te
