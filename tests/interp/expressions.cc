#include "tests/interp/programs.h"

#include <gtest/gtest.h>

#include <functional>

namespace ardea::interp {
namespace {

using Numbers = std::vector<double>;

Expr zero_division() { return make_binary(BinaryOp::floor_div, make_int(1), make_int(0)); }

TEST(Expressions, and_and_or_evaluate_the_right_side_only_when_needed) {
  const Expr fault = equals(zero_division(), make_int(1));
  // For itself, and as guards and bounds are evaluated.
  const auto as_it_is = [](const Expr& e) { return value_of(e).get_int(0); };
  const auto as_guard = [](const Expr& e) {
    return value_of(make_call("if_then_else", {e, make_int(1), make_int(0)})).get_int(0);
  };
  for (const auto& value : std::vector<std::function<std::int64_t(const Expr&)>>{as_it_is, as_guard}) {
    EXPECT_EQ(value(logical_and(make_bool(false), fault)), 0);
    EXPECT_EQ(value(logical_or(make_bool(true), fault)), 1);
    EXPECT_TRUE(says(error_of([&] { value(logical_and(make_bool(true), fault)); }), "divides by zero"));
    EXPECT_TRUE(says(error_of([&] { value(logical_or(make_bool(false), fault)); }), "divides by zero"));
    EXPECT_EQ(value(logical_and(make_bool(true), make_bool(false))), 0);
    EXPECT_EQ(value(logical_or(make_bool(false), make_bool(true))), 1);
  }
}

TEST(Expressions, if_then_else_evaluates_one_side_and_select_both) {
  const Expr lazy = make_call("if_then_else", {make_bool(false), zero_division(), make_int(7)});
  EXPECT_EQ(value_of(lazy).get_int(0), 7);
  EXPECT_EQ(value_of(make_call("if_then_else", {make_bool(true), make_int(5), zero_division()})).get_int(0),
            5);
  const Expr eager = make_select(make_bool(false), zero_division(), make_int(7));
  EXPECT_TRUE(says(error_of([&] { value_of(eager); }), "divides by zero"));
  EXPECT_EQ(value_of(make_select(make_bool(true), make_int(3), make_int(7))).get_int(0), 3);
}

TEST(Expressions, let_binds_its_variable_inside_the_body_only) {
  const Var x("x");
  const Expr let = make_let(x, make_int(5), x * x + 1);
  EXPECT_EQ(value_of(let).get_int(0), 26);
  EXPECT_EQ(value_of(make_let(x, make_int(2), make_let(Var("y"), x + 1, x)) + make_int(1)).get_int(0), 3);
  EXPECT_TRUE(says(error_of([&] { value_of(let + x); }), "the variable x has no value here"));
}

TEST(Expressions, vectors_work_lane_by_lane) {
  const Expr ramp = make_ramp(make_int(3), make_int(-2), 4);
  EXPECT_EQ(elements(value_of(ramp)), (Numbers{3, 1, -1, -3}));
  EXPECT_EQ(elements(value_of(make_broadcast(make_float(1.5), 3))), (Numbers{1.5, 1.5, 1.5}));
  EXPECT_EQ(elements(value_of(ramp * ramp)), (Numbers{9, 1, 1, 9}));
  EXPECT_EQ(elements(value_of(ramp < make_broadcast(make_int(0), 4))), (Numbers{0, 0, 1, 1}));
  EXPECT_EQ(elements(value_of(make_select(ramp < make_broadcast(make_int(0), 4), -ramp, ramp))),
            (Numbers{3, 1, 1, 3}));
  EXPECT_EQ(elements(value_of(make_select(make_bool(true), ramp, -ramp))), (Numbers{3, 1, -1, -3}));
  EXPECT_EQ(elements(value_of(make_cast(float32.with_lanes(4), ramp))), (Numbers{3, 1, -1, -3}));
  EXPECT_EQ(elements(value_of(make_call("abs", {ramp}))), (Numbers{3, 1, 1, 3}));
  EXPECT_EQ(elements(value_of(make_ramp(make_int(126, int8), make_int(1, int8), 4))),
            (Numbers{126, 127, -128, -127}));
}

TEST(Expressions, shuffle_picks_lanes_of_all_its_vectors) {
  const Expr a = make_ramp(make_int(0), make_int(1), 3), b = make_ramp(make_int(10), make_int(1), 2);
  EXPECT_EQ(elements(value_of(make_shuffle({a, b}, {4, 0, 3, 3}))), (Numbers{11, 0, 10, 10}));
  EXPECT_EQ(elements(value_of(make_shuffle({a}, {2}))), (Numbers{2}));
}

TEST(Expressions, a_division_by_zero_in_one_lane_is_reported) {
  const Expr ramp = make_ramp(make_int(0), make_int(1), 4);
  EXPECT_TRUE(says(
      error_of([&] { value_of(make_binary(BinaryOp::floor_div, make_broadcast(make_int(9), 4), ramp)); }),
      "divides by zero"));
}

/// out[0:4] = A[index], where A has 4 elements 1, 2, 3, 4.
Numbers gather(const Expr& index, const Expr& predicate) {
  FunctionBuilder f("gather");
  const Buffer a = f.parameter("A", std::vector<std::int64_t>{4}),
               out = f.parameter("out", std::vector<std::int64_t>{4});
  f.store(out, {make_ramp(make_int(0), make_int(1), 4)}, make_load(a, {index}, predicate));
  const runtime::Array result = zeros(float32, {4});
  run(f.build(), {array(float32, {4}, {1, 2, 3, 4}), result});
  return elements(result);
}

Expr first_lanes(int n) { return make_ramp(make_int(0), make_int(1), 4) < make_broadcast(make_int(n), 4); }

TEST(LaneMasks, a_masked_lane_of_a_load_touches_nothing_and_reads_as_zero) {
  const Expr two_beyond = make_ramp(make_int(2), make_int(1), 4);
  EXPECT_EQ(gather(two_beyond, first_lanes(2)), (Numbers{3, 4, 0, 0}));
  EXPECT_EQ(gather(make_ramp(make_int(3), make_int(-1), 4), {}), (Numbers{4, 3, 2, 1}));
  const std::string sentence = error_of([&] { gather(two_beyond, first_lanes(3)); });
  EXPECT_TRUE(says(sentence, "reads A[4], but index 1 must be in [0, 4)"));
}

TEST(LaneMasks, a_masked_lane_of_a_store_touches_nothing) {
  const auto scatter = [](int lanes) {
    FunctionBuilder f("scatter");
    const Buffer out = f.parameter("out", std::vector<std::int64_t>{4});
    f.store(out, {make_ramp(make_int(2), make_int(1), 4)}, make_broadcast(make_float(9), 4),
            first_lanes(lanes));
    const runtime::Array result = array(float32, {4}, {1, 2, 3, 4});
    run(f.build(), {result});
    return elements(result);
  };
  EXPECT_EQ(scatter(2), (Numbers{1, 2, 9, 9}));
  EXPECT_EQ(scatter(0), (Numbers{1, 2, 3, 4}));
  EXPECT_TRUE(says(error_of([&] { scatter(3); }), "writes out[4], but index 1 must be in [0, 4)"));
}

TEST(LaneMasks, a_vector_store_reads_all_lanes_before_it_writes_one) {
  FunctionBuilder f("reverse");
  const Buffer a = f.parameter("A", std::vector<std::int64_t>{4});
  f.store(a, {make_ramp(make_int(0), make_int(1), 4)},
          make_load(a, {make_ramp(make_int(3), make_int(-1), 4)}));
  const runtime::Array memory = array(float32, {4}, {1, 2, 3, 4});
  run(f.build(), {memory});
  EXPECT_EQ(elements(memory), (Numbers{4, 3, 2, 1}));
}

TEST(LaneMasks, a_scalar_index_stands_for_every_lane) {
  FunctionBuilder f("column");
  const Buffer a = f.parameter("A", std::vector<std::int64_t>{3, 2}),
               out = f.parameter("out", std::vector<std::int64_t>{3});
  const Expr lanes = make_ramp(make_int(0), make_int(1), 3);
  f.store(out, {lanes}, make_load(a, {lanes, make_int(1)}));
  const runtime::Array result = zeros(float32, {3});
  run(f.build(), {array(float32, {3, 2}, {1, 2, 3, 4, 5, 6}), result});
  EXPECT_EQ(elements(result), (Numbers{2, 4, 6}));
}

}  // namespace
}  // namespace ardea::interp
