#include "ardea/ir/literals.h"

#include <gtest/gtest.h>

#include <limits>

#include "ardea/ir/equal.h"
#include "ardea/ir/print.h"
#include "ardea/support/error.h"

/// C++ numbers as expressions and beside them.

namespace ardea {
namespace {

template <class F>
std::string sentence_of(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Literals, are_constants_of_what_cpp_calls_their_type) {
  EXPECT_EQ(Expr(3).type(), int64);
  EXPECT_EQ(Expr(3U).type(), int64);
  EXPECT_EQ(Expr(std::int8_t{-3}).type(), int64);
  EXPECT_EQ(constant_int(std::int8_t{-3}), -3);
  EXPECT_EQ(Expr(0.5F).type(), float32);
  EXPECT_EQ(Expr(0.5).type(), float64);
  EXPECT_EQ(Expr(0.1).as<FloatImm>()->value, 0.1);
  EXPECT_EQ(sentence_of([] { static_cast<void>(Expr(std::numeric_limits<std::uint64_t>::max())); }),
            "the literal 18446744073709551615 is too large for int64; make_int(…, uint64) takes its bits");
}

/// On either side of an operator.
TEST(Literals, take_the_type_of_what_stands_beside_them) {
  for (const DataType type : {int8, uint8, int32, int64, float16, bfloat16, float32, float64}) {
    const Var x("x", type);
    const Expr three = make_const(3, type);
    const auto expect = [&](BinaryOp op, const Expr& after, const Expr& before) {
      EXPECT_TRUE(structurally_equal(after, make_binary(op, x, three))) << print(after);
      EXPECT_TRUE(structurally_equal(before, make_binary(op, three, x))) << print(before);
    };
    expect(BinaryOp::add, x + 3, 3 + x);
    expect(BinaryOp::sub, x - 3, 3 - x);
    expect(BinaryOp::mul, x * 3, 3 * x);
    expect(BinaryOp::lt, x < 3, 3 < x);
    expect(BinaryOp::le, x <= 3, 3 <= x);
    expect(BinaryOp::gt, x > 3, 3 > x);
    expect(BinaryOp::ge, x >= 3, 3 >= x);
    expect(BinaryOp::eq, equals(x, 3), equals(3, x));
    expect(BinaryOp::ne, not_equals(x, 3), not_equals(3, x));
    expect(BinaryOp::min, min(x, 3), min(3, x));
    expect(BinaryOp::max, max(x, 3), max(3, x));
    if (type.is_float()) {
      expect(BinaryOp::div, x / 3, 3 / x);
      expect(BinaryOp::mul, x * 3.0, 3.0F * x);
    } else {
      expect(BinaryOp::floor_mod, x % 3, 3 % x);
      expect(BinaryOp::floor_mod, floor_mod(x, 3), floor_mod(3, x));
      expect(BinaryOp::floor_div, floor_div(x, 3), floor_div(3, x));
      expect(BinaryOp::trunc_div, trunc_div(x, 3), trunc_div(3, x));
      expect(BinaryOp::trunc_mod, trunc_mod(x, 3), trunc_mod(3, x));
    }
  }
}

/// A double is rounded once, to the type that it meets, and not to another one before.
TEST(Literals, lose_nothing_on_the_way) {
  const auto factor = [](const Expr& product) { return product.as<Binary>()->right.as<FloatImm>()->value; };
  EXPECT_EQ(factor(Var("x", float64) * 0.1), 0.1);
  EXPECT_EQ(factor(Var("x", float64) * Expr(0.1)), 0.1);
  EXPECT_EQ(factor(Var("x", float32) * 0.1), double{0.1F});
  EXPECT_EQ(factor(Var("x", float64) * 0.1F), double{0.1F});  // as in C++
  // Of two constants the one yields that says less about its type.
  EXPECT_EQ((Expr(1) + 0.5).type(), float64);
  EXPECT_EQ((Expr(0.5) + make_float(2, float16)).type(), float16);
  EXPECT_EQ((make_float(2, float16) + Expr(0.5)).type(), float16);
}

TEST(Literals, begin_sums_of_any_type) {
  for (const DataType type : {int32, float32, float64}) {
    const Var x("x", type);
    Expr sum = 0;
    for (int i = 1; i < 4; ++i) sum += x * i;
    EXPECT_EQ(sum.type(), type);
    const auto c = [&](double value) { return make_const(value, type); };
    EXPECT_TRUE(structurally_equal(sum, c(0) + x * c(1) + x * c(2) + x * c(3))) << print(sum);
  }
}

TEST(Literals, go_with_compound_assignment) {
  const Var x("x", float32), i("i");
  Expr e = x;
  e += 1;
  e *= 2.0;
  e -= x;
  e /= 3;
  EXPECT_EQ(print(e), print((((x + 1) * 2 - x) / 3)));
  Expr index = i;
  index %= 4;
  EXPECT_TRUE(structurally_equal(index, floor_mod(i, 4)));
  EXPECT_EQ(i.name(), "i");
}

TEST(Literals, are_refused_where_the_type_does_not_hold_them) {
  const Var i("i", int32), b("b", int8);
  const std::string fraction =
      "the literal 0.5 stands beside an expression of type int32; cast the expression to a float, or write "
      "an integer";
  EXPECT_EQ(sentence_of([&] { return i * 0.5; }), fraction);
  EXPECT_EQ(sentence_of([&] { return 0.5 * i; }), fraction);
  EXPECT_EQ(sentence_of([&] { return min(0.5F, i); }), fraction);
  EXPECT_EQ(sentence_of([&] { return b + 128; }),
            "the constant 128 does not fit int8, whose values are -128 to 127");
  // What is no literal must be cast, as before.
  EXPECT_EQ(sentence_of([&] { return i + b; }),
            "+: the operands i and b are int32 and int8; cast one of them");
}

}  // namespace
}  // namespace ardea
