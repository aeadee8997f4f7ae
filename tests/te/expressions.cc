#include <gtest/gtest.h>

#include <cmath>

#include "ardea/te/compute.h"
#include "ardea/te/create_prim_func.h"
#include "ardea/te/math.h"
#include "tests/te/both_ways.h"
#include "tests/te/refused.h"

/// Expressions as C++ writes them. Outside of the namespace, for that is where users write.

namespace expressions_of_users {
namespace {

namespace te = ardea::te;
using ardea::Expr, ardea::Var;
using ardea::test::expect_elements, ardea::test::run_both_ways;

TEST(Expressions, are_summed_up_in_loops) {
  const te::Tensor A = te::placeholder("A", {13, 7});
  const te::Tensor B = te::compute("B", {11, 5}, [&](const auto& y, const auto& x) {
    Expr sum = 0;
    for (int dy = 0; dy < 3; ++dy)
      for (int dx = 0; dx < 3; ++dx) sum += A(y + dy, x + dx) * (dy * dx + 0.5);
    sum /= 9;
    return sum;
  });
  const auto arrays = run_both_ways(te::create_prim_func({A, B}));
  expect_elements(arrays[1], [&](const auto& at) {
    double sum = 0;
    for (int dy = 0; dy < 3; ++dy)
      for (int dx = 0; dx < 3; ++dx)
        sum += arrays[0].get_float((at[0] + dy) * 7 + at[1] + dx) * (dy * dx + 0.5);
    return sum / 9;
  });
}

TEST(Expressions, choose_between_values_and_numbers) {
  const te::Tensor A = te::placeholder("A", {17}), I = te::placeholder("I", {17}, ardea::int32);
  const te::Tensor B = te::compute("B", {17}, [&](const auto& i) {
    return te::if_then_else(i % 4 < 2, A(i), 0) + te::select(3 < i, -1.5, A(i)) +
           te::select(te::equals(i, 5), A(i), 2) + te::max(A(i), 0.25) +
           te::if_then_else(te::logical_and(te::not_equals(i, 2), 0 <= i), 1, A(i));
  });
  const te::Tensor J = te::compute("J", {17}, [&](const auto& i) {
    return te::select(I(i) > 0, I(i), 7) + te::shift_left(I(i), 1) + te::bit_and(I(i), 3) +
           te::trunc_div(I(i), 3) * 100 + te::floor_div(I(i), 3) * 10 + I(i) % 3;
  });
  const auto arrays = run_both_ways(te::create_prim_func({A, I, B, J}));
  expect_elements(arrays[2], [&](const auto& at) {
    const auto i = at[0];
    const double a = arrays[0].get_float(i);
    return (i % 4 < 2 ? a : 0) + (3 < i ? -1.5 : a) + (i == 5 ? a : 2) + std::max(a, 0.25) + (i != 2 ? 1 : a);
  });
  bool is_negative_somewhere = false;
  for (std::int64_t i = 0; i < 17; ++i) {
    const std::int64_t v = arrays[1].get_int(i), down = v >= 0 ? v / 3 : -((-v + 2) / 3);
    is_negative_somewhere |= v < 0 && v % 3 != 0;
    EXPECT_EQ(arrays[3].get_int(i), static_cast<std::int32_t>((v > 0 ? v : 7) + v * 2 + (v & 3) +
                                                              v / 3 * 100 + down * 10 + (v - down * 3)));
  }
  EXPECT_TRUE(is_negative_somewhere) << "floor and trunc were not told apart";
}

TEST(Expressions, of_axes_need_no_cast) {
  const te::Tensor A = te::placeholder("A", {23});
  const te::Axis k = te::reduce_axis(0, 5, "k");
  const te::Tensor B =
      te::compute("B", {9}, [&](const Expr& i) { return te::sum(A(2 * i + k), {k}, k % 3 < 2); });
  const te::Tensor C =
      te::compute("C", {9}, [&](const Var& i) { return A(i) + te::cast(ardea::float32, 1 + i); });
  const auto arrays = run_both_ways(te::create_prim_func({A, B, C}));
  expect_elements(arrays[1], [&](const auto& at) {
    double sum = 0;
    for (int l = 0; l < 5; ++l) sum += l % 3 < 2 ? arrays[0].get_float(2 * at[0] + l) : 0;
    return sum;
  });
}

/// Functions of indices in every form that C++ has for them.
TEST(Compute, takes_functions_of_every_form) {
  const te::Tensor A = te::placeholder("A", {3, 5});
  const auto same = [&](const te::Tensor& B) {
    const auto arrays = run_both_ways(te::create_prim_func({A, B}));
    for (std::int64_t i = 0; i < 15; ++i)
      EXPECT_EQ(arrays[1].get_float(i), arrays[0].get_float(i)) << B.name();
  };
  const std::vector<te::Dim> listed = {3, 5};
  // NOLINTBEGIN(performance-unnecessary-value-param): by value is one of the forms
  same(te::compute("vars", {3, 5}, [&](Var i, Var j) { return A(i, j); }));
  same(te::compute("expressions", {{"y", 3}, {"x", 5}}, [&](const Expr& i, Expr j) { return A(i, j); }));
  same(te::compute("generic", {3, 5}, [&](auto i, const auto& j) { return A(i, j); }));
  same(te::compute("any", {3, 5}, [&](auto... i) { return A(i...); }));
  same(te::compute("vector", {3, 5}, [&](const std::vector<Var>& i) { return A(i[0], i[1]); }));
  same(te::compute("listed", listed, [&](Var i, Var j) { return A(i, j); }));
  same(te::compute("listed_generic", listed, [&](auto i, auto j) { return A(i, j); }));
  same(te::compute("listed_any", A.shape(), [&](auto... i) { return A(i...); }));
  // NOLINTEND(performance-unnecessary-value-param)
  const std::function<Expr(Var, Var)> stored = [&](const Var& i, const Var& j) { return A(i, j); };
  same(te::compute("stored", {3, 5}, stored));
}

TEST(Compute, takes_numbers_for_values) {
  const te::Tensor ones = te::compute("ones", {7}, [](const auto&) { return 1.0F; });
  const te::Tensor count = te::compute("count", {}, [] { return 7; });
  EXPECT_EQ(ones.type(), ardea::float32);
  EXPECT_EQ(count.type(), ardea::int64);
  const auto arrays = run_both_ways(te::create_prim_func({ones, count}));
  for (int i = 0; i < 7; ++i) EXPECT_EQ(arrays[0].get_float(i), 1);
  EXPECT_EQ(arrays[1].get_int(0), 7);
}

TEST(Compute, counts_the_indices_of_functions_for_shapes_that_are_listed) {
  const te::Tensor A = te::placeholder("A", {3, 5});
  EXPECT_REFUSED(
      te::compute("B", A.shape(), [&](const auto& i) { return A(i, i); }),
      "compute(B): its shape has 2 dimensions, but its function takes 1 index; give it one index a "
      "dimension");
  EXPECT_REFUSED(
      te::compute("B", A.shape(), [&](const auto& i, const auto& j, const auto& k) { return A(i, j + k); }),
      "compute(B): its shape has 2 dimensions, but its function takes 3 indices; give it one index "
      "a dimension");
}

}  // namespace
}  // namespace expressions_of_users
