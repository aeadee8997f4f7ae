#include <gtest/gtest.h>

#include "ardea/ir/expr.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/stmt.h"
#include "ardea/support/error.h"

namespace ardea {
namespace {

template <class F>
std::string refusal(const F& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Makers, refuse_operands_of_two_types_with_both_named) {
  const Var x("x", float32), y("y", int32);
  EXPECT_EQ(refusal([&] { make_binary(BinaryOp::add, x, y); }),
            "+: the operands x and y are float32 and int32; cast one of them");
  Expr sum = x;
  for (int i = 0; i < 20; ++i) sum = sum + x;
  EXPECT_EQ(
      refusal([&] { make_binary(BinaryOp::mul, sum, y); }),
      "*: the operands x + x + x + x + x + x + x + x + x + x + … and y are float32 and int32; cast one of "
      "them");
}

TEST(Makers, refuse_arithmetic_on_storage_types) {
  const Var x("x", float8_e4m3);
  EXPECT_EQ(refusal([&] { return x + x; }),
            "+ on float8_e4m3: this type can only be loaded, cast and stored; cast it first");
  EXPECT_EQ(make_cast(float32, x).type(), float32);
}

TEST(Makers, refuse_a_constant_that_does_not_fit) {
  EXPECT_EQ(refusal([] { make_int(128, int8); }),
            "the constant 128 does not fit int8, whose values are -128 to 127");
  EXPECT_EQ(refusal([] { make_int(-1, uint8); }),
            "the constant -1 does not fit uint8, whose values are 0 to 255");
  EXPECT_EQ(constant_int(make_int(255, uint8)), 255);
}

TEST(Makers, refuse_integer_division_by_slash) {
  EXPECT_EQ(refusal([] { return Var("x") / Var("y"); }),
            "/: the operands are int64; integers divide by floor_div(a, b), in text a // b, or by "
            "trunc_div(a, b), in text T.truncdiv(a, b)");
}

TEST(Makers, check_the_number_of_indices_and_their_types) {
  const Buffer a = make_buffer("A", std::vector<std::int64_t>{2, 3});
  EXPECT_EQ(refusal([&] { make_load(a, {make_int(0)}); }), "A[…]: 1 indices for 2 dimensions");
  EXPECT_EQ(refusal([&] { make_load(a, {make_int(0), make_float(0)}); }),
            "A[…]: index 2 is float32, must be an integer");
  EXPECT_EQ(refusal([&] { make_store(a, {make_int(0), make_int(0)}, make_int(1)); }),
            "A[…] = …: the value is int64, the place float32; cast the value");
}

TEST(Makers, a_load_has_the_lanes_of_its_index) {
  const Buffer a = make_buffer("A", std::vector<std::int64_t>{16});
  EXPECT_EQ(make_load(a, {make_ramp(make_int(0), make_int(2), 8)}).type(), float32.with_lanes(8));
  EXPECT_EQ(refusal([&] { make_load(a, {make_ramp(make_int(0), make_int(2), 8)}, make_bool(true)); }),
            "A[…]: the predicate is bool, must be boolx8");
}

TEST(Makers, round_float_constants_to_their_type) {
  EXPECT_EQ(make_float(0.1, float32).as<FloatImm>()->value, static_cast<double>(0.1f));
  EXPECT_EQ(make_float(1.0 + 1.0 / 1024, bfloat16).as<FloatImm>()->value, 1.0);
}

TEST(Makers, a_literal_takes_the_type_of_what_it_meets) {
  EXPECT_EQ((Var("x", float32) + 1).type(), float32);
  EXPECT_EQ((Var("x", int8) * 3).type(), int8);
  EXPECT_EQ(refusal([] { return Var("x", int8) + 1000; }),
            "the constant 1000 does not fit int8, whose values are -128 to 127");
}

TEST(Makers, sequences_flatten_and_an_empty_one_is_a_no_op) {
  const Stmt a = Evaluate{Var("a")}, b = Evaluate{Var("b")}, c = Evaluate{Var("c")};
  const Stmt flat = make_seq({make_seq({a, b}), Stmt(), c});
  ASSERT_TRUE(flat.is<Seq>());
  EXPECT_EQ(flat.as<Seq>()->statements, (std::vector<Stmt>{a, b, c}));
  EXPECT_EQ(make_seq({a}), a);
  EXPECT_TRUE(is_no_op(make_seq({})));
}

TEST(Intrinsics, every_row_is_found_by_its_name_and_the_table_is_sorted) {
  const auto all = intrinsics();
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(find_intrinsic(all[i].name), &all[i]);
    if (i > 0) {
      EXPECT_LT(all[i - 1].name, all[i].name);
    }
    EXPECT_FALSE(all[i].contract.empty());
  }
  EXPECT_EQ(find_intrinsic("nonsense"), nullptr);
}

TEST(Intrinsics, refuse_wrong_arguments_by_name) {
  EXPECT_EQ(refusal([] { make_call("exp", {Var("x", int32)}); }),
            "T.exp: argument 1 is int32, must be a float16, bfloat16, float32 or float64");
  EXPECT_EQ(refusal([] { make_call("pow", {Var("x", float32)}); }), "T.pow: takes 2 arguments, got 1");
  const Expr pair = make_broadcast(make_float(1, float32), 2),
             three = make_broadcast(make_float(1, float32), 3);
  EXPECT_EQ(refusal([&] { make_call("lookup", {pair, pair}); }),
            "T.lookup: the index is float32x2, must be an integer");
  EXPECT_EQ(refusal([&] { make_call("lookup", {Var("i", int32), three}); }),
            "T.lookup: the table is float32x3, must be a vector of a power of two of floats");
  EXPECT_EQ(make_call("lookup", {Var("i", int32.with_lanes(8)), pair}).type(), float32.with_lanes(8));
  EXPECT_EQ(refusal([] { make_call("sqr", {Var("x", float32)}); }),
            "T.sqr: there is no such intrinsic; did you mean sqrt, rsqrt or sin?");
}

TEST(Intrinsics, only_calls_with_an_effect_have_one) {
  const Expr x = Var("x", float32);
  EXPECT_FALSE(has_effect(make_call("exp", {x}) + x));
  EXPECT_TRUE(has_effect(make_call("call_registered", float32, {make_string("f"), x}) + x));
}

}  // namespace
}  // namespace ardea
