#include <gtest/gtest.h>

#include <limits>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"

/// How simplified expressions look, and the rules one by one.

namespace ardea::arith_tests {
namespace {

using arith::Analyzer;

struct Forms : testing::Test {
  Var i{"i"}, j{"j"}, k{"k"}, n{"n"}, m{"m"}, u{"u"};
  Analyzer facts;

  Forms() {
    facts.parameter(n);
    facts.parameter(m);
    facts.bind(i, {make_int(0), make_int(16)});
    facts.bind(j, {make_int(0), make_int(4)});
    facts.bind(k, {make_int(0), n});
  }
  std::string simple(const Expr& e) const { return print(facts.simplify(e)); }
};

TEST_F(Forms, keep_the_order_in_which_terms_were_written) {
  EXPECT_EQ(simple(i * 4 + j), "i * 4 + j");
  EXPECT_EQ(simple(j + i * 4), "j + i * 4");
  EXPECT_EQ(simple(make_int(3) + i), "i + 3");
  EXPECT_EQ(simple((i * 4 + j) * 1024 + k), "i * 4096 + j * 1024 + k");
  EXPECT_EQ(simple(make_int(4) * i), "i * 4");
}

TEST_F(Forms, put_subtracted_terms_after_added_ones_and_the_constant_last) {
  EXPECT_EQ(simple(make_int(3) - i + n), "n - i + 3");
  EXPECT_EQ(simple(make_int(3) - i), "3 - i");
  EXPECT_EQ(simple(-i), "i * -1");
  EXPECT_EQ(simple(i - 3), "i - 3");
  EXPECT_EQ(simple(make_int(-3) - i * 2), "i * -2 - 3");
}

TEST_F(Forms, expand_products_of_symbolic_extents) {
  EXPECT_EQ(simple((i * n + k) * m), "i * n * m + k * m");
  EXPECT_EQ(simple((u + n) * (u - n) + n * n), "u * u");
}

TEST_F(Forms, cancel_equal_atoms_whatever_their_order_inside) {
  EXPECT_EQ(simple(floor_div(u + n, 4) - floor_div(n + u, 4)), "0");
  EXPECT_EQ(simple(min(u, n) - min(n, u)), "0");
  const Buffer a = make_buffer("A", std::vector<std::int64_t>{8}, int32);
  const Expr load = make_load(a, {i});
  EXPECT_EQ(simple(load - make_load(a, {i + 0})), "T.int32(0)");
}

TEST_F(Forms, cancel_nothing_that_has_an_effect) {
  const Expr call = make_call("call_registered", int64, {make_string("f")});
  EXPECT_EQ(simple(call - call),
            "T.call_registered(\"f\", dtype=\"int64\") - T.call_registered(\"f\", dtype=\"int64\")");
}

TEST_F(Forms, replace_a_variable_with_one_value) {
  Var unit("unit");
  facts.bind(unit, {make_int(5), make_int(1)});
  EXPECT_EQ(simple(unit * 4 + i), "i + 20");
}

TEST_F(Forms, keep_a_named_value_behind_its_name) {
  Var named("cse");
  facts.define(named, i * 4 + j);
  EXPECT_EQ(simple(named + 1), "cse + 1");
  EXPECT_TRUE(facts.proves(named < make_int(64)));
}

TEST_F(Forms, wrap_in_narrow_types) {
  Var a("a", int8), b("b", uint8);
  EXPECT_EQ(simple(a * make_int(64, int8) * make_int(4, int8)), "T.int8(0)");
  EXPECT_EQ(simple((a + make_int(100, int8)) + make_int(100, int8)), "a - 56");
  EXPECT_EQ(simple(make_binary(BinaryOp::floor_div, a + make_int(100, int8), make_int(1, int8))), "a + 100");
  // a + 100 may wrap, so it is not ordered with a.
  EXPECT_EQ(facts.prove(a + make_int(100, int8) > a), arith::Proof::unknown);
  EXPECT_EQ(facts.prove(b >= make_int(0, uint8)), arith::Proof::proved);
  EXPECT_EQ(facts.prove(b - make_int(1, uint8) < b), arith::Proof::unknown);
}

TEST_F(Forms, see_through_widening_casts_of_what_cannot_wrap) {
  Var a("a", int32);
  facts.bind(a, {make_int(0, int32), make_int(16, int32)});
  EXPECT_EQ(simple(floor_div(make_cast(int64, a * make_int(4, int32) + make_int(3, int32)), 4)),
            "T.Cast(\"int64\", a)");
  Var wild("w", int32);
  const Expr kept = make_cast(int64, wild + make_int(1, int32));
  EXPECT_TRUE(structurally_equal(facts.simplify(kept), kept));
}

TEST_F(Forms, fold_ramps_and_broadcasts) {
  const Expr ramp = make_ramp(i * 4, make_int(1), 4);
  EXPECT_EQ(simple(ramp + make_broadcast(j, 4)), "T.Ramp(i * 4 + j, 1, 4)");
  EXPECT_EQ(simple(ramp - ramp), "T.Broadcast(0, 4)");
  EXPECT_EQ(simple(make_binary(BinaryOp::floor_div, ramp, make_broadcast(make_int(4), 4))),
            "T.Broadcast(i, 4)");
  EXPECT_EQ(simple(make_binary(BinaryOp::floor_mod, ramp, make_broadcast(make_int(4), 4))),
            "T.Ramp(0, 1, 4)");
  EXPECT_EQ(simple(make_binary(BinaryOp::mul, ramp, make_broadcast(make_int(2), 4))), "T.Ramp(i * 8, 2, 4)");
  EXPECT_EQ(simple(make_binary(BinaryOp::lt, ramp, make_broadcast(make_int(64), 4))),
            "T.Broadcast(T.bool(True), 4)");
}

TEST_F(Forms, gather_comparisons) {
  EXPECT_EQ(simple(i * 4 + j < make_int(10)), "i * 4 + j < 10");
  EXPECT_EQ(simple(u + i < n + i), "u < n");
  EXPECT_EQ(simple(make_int(5) < u), "u > 5");
  EXPECT_EQ(simple(logical_not(u < n)), "u >= n");
  EXPECT_EQ(simple(i < make_int(16)), "T.bool(True)");
  EXPECT_EQ(simple(equals(u * 2, make_int(7))), "T.bool(False)");
  EXPECT_EQ(simple(logical_and(u < n, u < n + 1)), "u < n");
  EXPECT_EQ(simple(logical_or(u < n, u >= n)), "T.bool(True)");
}

TEST_F(Forms, decide_choices) {
  const Buffer a = make_buffer("A", std::vector<std::int64_t>{8}, float32);
  EXPECT_EQ(simple(make_select(i < make_int(16), u, n)), "u");
  EXPECT_EQ(simple(make_call("if_then_else", {u < make_int(4), max(u, make_int(4)), u})),
            "T.if_then_else(u < 4, 4, u)");
  // Both sides of a Select run: what it loads may not lean on the condition.
  const Expr guarded = make_select(logical_and(u >= make_int(0), u < make_int(4)),
                                   make_load(a, {floor_mod(u, 4)}), make_float(0));
  EXPECT_EQ(simple(guarded), "T.Select(u >= 0 and u < 4, A[u % 4], T.float32(0.0))");
  const Expr lazy = make_call("if_then_else", {logical_and(u >= make_int(0), u < make_int(4)),
                                               make_load(a, {floor_mod(u, 4)}), make_float(0)});
  EXPECT_EQ(simple(lazy), "T.if_then_else(u >= 0 and u < 4, A[u], T.float32(0.0))");
}

TEST_F(Forms, of_floats_change_only_where_every_bit_is_known) {
  Var x("x", float32);
  const auto f = [](double v) { return make_float(v); };
  const auto unchanged = [&](const Expr& e) { return facts.simplify(e) == e; };
  EXPECT_TRUE(unchanged(x + f(0)));
  EXPECT_TRUE(unchanged(x * f(0)));
  EXPECT_TRUE(unchanged((x + f(1)) - f(1)));
  EXPECT_TRUE(unchanged(x - x));
  EXPECT_EQ(facts.simplify(x * f(1)), x);
  EXPECT_EQ(facts.simplify(x - f(0)), x);
  EXPECT_TRUE(unchanged(x - f(-0.0)));
  EXPECT_EQ(facts.simplify(x + f(-0.0)), x);
  EXPECT_EQ(facts.simplify(f(-0.0) + x), x);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(facts.simplify(min(x, f(infinity))), x);
  EXPECT_EQ(facts.simplify(max(f(-infinity), x)), x);
  EXPECT_TRUE(unchanged(max(x, f(infinity))));  // NaN, where x is one
  EXPECT_TRUE(unchanged(min(x, f(-infinity))));
  EXPECT_EQ(facts.simplify(x / f(1)), x);
  EXPECT_EQ(facts.simplify(f(0.1) + f(0.2)).as<FloatImm>()->value, static_cast<double>(0.1f + 0.2f));
  const Expr half = facts.simplify(make_float(2048, float16) + make_float(1, float16));
  EXPECT_EQ(half.as<FloatImm>()->value, 2048);  // 2049 ties to even
  // 2^64 - 1 has the bits of -1; a number of a signed type is one.
  EXPECT_TRUE(facts.simplify(make_cast(float32, make_int(-1, uint64))).is<Cast>());
  EXPECT_EQ(facts.simplify(make_cast(float32, make_int(-1, int64))).as<FloatImm>()->value, -1);
  EXPECT_EQ(facts.simplify(make_cast(float32, make_int(7, uint64))).as<FloatImm>()->value, 7);
  EXPECT_TRUE(unchanged(f(0) / f(0)));  // which NaN, the machine says
}

TEST_F(Forms, leave_a_division_by_zero_for_the_interpreter_to_report) {
  EXPECT_EQ(simple(floor_div(make_int(3), make_int(0))), "3 // 0");
  EXPECT_EQ(simple(floor_mod(u, make_int(0))), "u % 0");
}

TEST_F(Forms, take_linear_time_on_shared_nodes) {
  Expr sum = u, product = u, nested = u, condition = u < n, chosen = u, smaller = u;
  for (int level = 0; level < 200; ++level) {
    sum = sum + sum;
    product = product * product;
    nested = floor_div(nested, 3) + floor_div(nested, 5);
    condition = logical_and(condition, logical_or(condition, u < make_int(level)));
    chosen = make_call("if_then_else", {chosen < n, chosen + 1, chosen});
    smaller = min(smaller + 1, smaller * 2);
  }
  for (const Expr& e : {sum, product, nested, chosen, smaller, condition}) facts.simplify(e);
  for (const Expr& e : {sum, product, nested, chosen, smaller}) facts.bounds(e);
  facts.prove(condition);
}

}  // namespace
}  // namespace ardea::arith_tests
