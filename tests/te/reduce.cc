#include "ardea/te/reduce.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ardea/interp/interpreter.h"
#include "ardea/te/compute.h"
#include "ardea/te/math.h"
#include "tests/te/both_ways.h"
#include "tests/te/refused.h"

namespace ardea::te {
namespace {

using test::expect_elements;
using test::run_both_ways;

/// Folds row i of the first argument, m × n.
template <class Fold>
auto row_fold(const runtime::Array& x, std::int64_t n, double start, Fold fold) {
  return [&x, n, start, fold](const std::vector<std::int64_t>& at) {
    double value = start;
    for (std::int64_t j = 0; j < n; ++j) value = fold(value, x.get_float(at[0] * n + j));
    return value;
  };
}

TEST(Reduce, folds_with_the_built_in_reducers) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const DataType type : {float32, float64, int32, int64}) {
    const std::int64_t m = 5, n = 7;
    const Tensor A = placeholder("A", {m, n}, type);
    const auto rows = [&](const std::string& name, auto reducer) {
      const Axis k = reduce_axis(n, "k");
      return compute(name, {m}, [&](const Var& i) { return reducer(A(i, k), std::vector<Axis>{k}, Expr()); });
    };
    const Tensor s = rows("s", sum), p = rows("p", prod);
    const Tensor low = rows("low", static_cast<Reduction (*)(Expr, std::vector<Axis>, Expr)>(min));
    const Tensor high = rows("high", static_cast<Reduction (*)(Expr, std::vector<Axis>, Expr)>(max));
    const auto x = run_both_ways(create_prim_func({A, s, p, low, high}));
    expect_elements(x[1], row_fold(x[0], n, 0, std::plus<>()));
    if (type.is_float()) expect_elements(x[2], row_fold(x[0], n, 1, std::multiplies<>()));
    expect_elements(x[3], row_fold(x[0], n, infinity, [](double a, double b) { return std::min(a, b); }));
    expect_elements(x[4], row_fold(x[0], n, -infinity, [](double a, double b) { return std::max(a, b); }));
  }
}

TEST(Reduce, finds_the_first_extreme_and_its_value) {
  const std::int64_t m = 6, n = 11;
  const Tensor A = placeholder("A", {m, n}, int32);  // few values, so that many are equal
  const Tensor few = compute(
      "few", {m, n}, [&](const Var& i, const Var& j) { return bit_and(A(i, j), make_int(3, int32)); });
  const Axis k = reduce_axis(n, "k"), r = reduce_axis(n, "r");
  const auto best =
      compute_all("best", {m}, [&](const Var& i) { return argmax(cast(int32, k), few(i, k), {k}); });
  const auto worst =
      compute_all("worst", {m}, [&](const Var& i) { return argmin(cast(int32, r), few(i, r), {r}); });
  const auto x = run_both_ways(create_prim_func({A, few, best[0], best[1], worst[0], worst[1]}));
  for (std::int64_t i = 0; i < m; ++i) {
    std::int64_t high = 0, low = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      if (x[1].get_int(i * n + j) > x[1].get_int(i * n + high)) high = j;
      if (x[1].get_int(i * n + j) < x[1].get_int(i * n + low)) low = j;
    }
    EXPECT_EQ(x[2].get_int(i), high);
    EXPECT_EQ(x[3].get_int(i), x[1].get_int(i * n + high));
    EXPECT_EQ(x[4].get_int(i), low);
    EXPECT_EQ(x[5].get_int(i), x[1].get_int(i * n + low));
  }
}

TEST(Reduce, is_right_where_every_value_is_the_identity) {
  const Tensor A = placeholder("A", {3});
  const Axis k = reduce_axis(3, "k"), r = reduce_axis(3, "r");
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor high = compute("high", {1}, [&](const Var&) { return max(A(k), {k}); });
  const auto best = compute_all("best", {1}, [&](const Var&) { return argmax(Expr(r), A(r), {r}); });
  const Function f = create_prim_func({A, high, best[0], best[1]});
  runtime::Array a = runtime::Array::zeros({3}, float32), h = runtime::Array::zeros({1}, float32);
  runtime::Array at = runtime::Array::zeros({1}, int64), value = runtime::Array::zeros({1}, float32);
  for (float& x : a.values<float>()) x = static_cast<float>(-infinity);
  interp::run(f, {a, h, at, value});
  EXPECT_EQ(h.get_float(0), -infinity);
  EXPECT_EQ(at.get_int(0), 0);
  EXPECT_EQ(value.get_float(0), -infinity);
}

TEST(Reduce, folds_over_several_axes_from_any_start_and_under_a_condition) {
  const Tensor A = placeholder("A", {5, 9, 4});
  const Axis k = reduce_axis(2, 9, "k"), r = reduce_axis(4, "r");
  const Tensor B =
      compute("B", {5}, [&](const Var& i) { return sum(A(i, k, r), {k, r}, Expr(k) < Expr(r) + 4); });
  const auto x = run_both_ways(create_prim_func({A, B}));
  expect_elements(x[1], [&](const auto& at) {
    double total = 0;
    for (std::int64_t a = 2; a < 9; ++a)
      for (std::int64_t b = 0; b < 4; ++b)
        if (a < b + 4) total += x[0].get_float((at[0] * 9 + a) * 4 + b);
    return total;
  });
}

TEST(Reduce, gives_the_identity_where_no_point_counts) {
  const Tensor A = placeholder("A", {1, 1});
  const Axis k = reduce_axis(1, "k");
  const Tensor B = compute("B", {1}, [&](const Var& i) { return sum(A(i, k), {k}, Expr(k) < Expr(i)); });
  const auto x = run_both_ways(create_prim_func({A, B}));
  EXPECT_EQ(x[1].get_float(0), 0);
}

TEST(Reduce, takes_reducers_of_the_user) {
  const std::int64_t n = 7;
  const Tensor A = placeholder("A", {3, n}), B = placeholder("B", {3, n});
  // Products of complex numbers.
  const Reducer complex_product(
      "complex_product",
      [](const std::vector<Expr>& a, const std::vector<Expr>& b) -> std::vector<Expr> {
        return {a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]};
      },
      [](const std::vector<DataType>& types) -> std::vector<Expr> {
        return {make_const(1, types[0]), make_const(0, types[1])};
      });
  const Axis k = reduce_axis(n, "k");
  const auto product =
      compute_all("product", {3}, [&](const Var& i) { return complex_product({A(i, k), B(i, k)}, {k}); });
  const auto x = run_both_ways(create_prim_func({A, B, product[0], product[1]}));
  for (std::int64_t i = 0; i < 3; ++i) {
    double re = 1, im = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      const double a = x[0].get_float(i * n + j), b = x[1].get_float(i * n + j);
      const double next = re * a - im * b;
      im = re * b + im * a;
      re = next;
    }
    EXPECT_NEAR(x[2].get_float(i), re, 1e-5);
    EXPECT_NEAR(x[3].get_float(i), im, 1e-5);
  }
}

TEST(Reduce, computes_several_sums_in_one_stage) {
  const Tensor A = placeholder("A", {4, 6}), B = placeholder("B", {4, 6}, float64);
  const Axis k = reduce_axis(6, "k");
  const auto both = compute_all("both", {4}, [&](const Var& i) -> std::vector<Reduction> {
    return {sum(A(i, k), {k}), sum(B(i, k), {k})};
  });
  const auto x = run_both_ways(create_prim_func({A, B, both[0], both[1]}));
  expect_elements(x[2], row_fold(x[0], 6, 0, std::plus<>()));
  expect_elements(x[3], row_fold(x[1], 6, 0, std::plus<>()));
}

TEST(Reduce, refuses_results_that_are_reduced_in_different_ways) {
  const Tensor A = placeholder("A", {4, 6});
  const Axis k = reduce_axis(6, "k"), r = reduce_axis(6, "r");
  EXPECT_REFUSED(
      compute_all(
          "both", {4},
          [&](const Var& i) -> std::vector<Reduction> { return {sum(A(i, k), {k}), max(A(i, k), {k})}; }),
      "compute(both): its results are reduced by sum and by max; one stage has one reducer: write a Reducer "
      "of both values, or two computes");
  EXPECT_REFUSED(
      compute_all(
          "both", {4},
          [&](const Var& i) -> std::vector<Reduction> { return {sum(A(i, k), {k}), sum(A(i, r), {r})}; }),
      "compute(both): its results are reduced over (k) and over (r); results of one stage share their "
      "axes: use the same ones, or two computes");
  EXPECT_REFUSED(compute("one", {4}, [&](const Var& i) { return argmax(Expr(k), A(i, k), {k}); }),
                 "compute(one): its function gives 2 results; call compute_all, which gives them all");
}

TEST(Reduce, refuses_wrong_axes_and_reducers) {
  const Tensor A = placeholder("A", {4, 6});
  const Axis k = reduce_axis(6, "k");
  EXPECT_REFUSED(sum(A(0, 0), {}), "sum: there is no axis to reduce over; make one with reduce_axis");
  EXPECT_REFUSED(sum(A(0, k), {k, k}), "sum: axis k is named twice");
  EXPECT_REFUSED(reduce_axis(5, 5, "k"), "reduce_axis(k): [5, 5) is empty; give bounds low < high");
  const Axis spatial{Var("i"), {make_int(0), make_int(4)}, IteratorKind::spatial};
  EXPECT_REFUSED(sum(A(spatial, 0), {spatial}), "sum: i is no reduce axis; make one with reduce_axis");
  const Reducer wrong(
      "wrong", [](const Expr& a, const Expr&) { return cast(float64, a); },
      [](DataType type) { return make_const(0, type); });
  EXPECT_REFUSED(wrong(A(0, k), {k}),
                 "wrong: its combiner gives float64 for value 1, which is float32; cast it");
  EXPECT_REFUSED(argmax(A(0, k), A(0, k), {k}), "argmax: the index is float32, must be an integer");
}

}  // namespace
}  // namespace ardea::te
