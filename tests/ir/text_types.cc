#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "ardea/ir/intrinsics.h"
#include "text_programs.h"

/// The typing laws of the text form, and that the printer leaves out exactly what they put back.

namespace ardea {
namespace {

Expr evaluated(const std::string& text) {
  const Function f = parse_function(around("T.evaluate(" + text + ")"));
  return f.body.as<Evaluate>()->value;
}

TEST(TextTypes, a_bare_number_takes_the_type_of_what_it_meets) {
  EXPECT_EQ(evaluated("5").type(), int64);
  EXPECT_EQ(evaluated("0.5").type(), float32);
  EXPECT_EQ(evaluated("k + 5").type(), int32);
  EXPECT_EQ(evaluated("5 - k").type(), int32);
  EXPECT_EQ(evaluated("B[0] * 3").type(), int8);
  EXPECT_EQ(evaluated("x * 2").type(), float32);
  EXPECT_EQ(evaluated("T.min(k, 0)").type(), int32);
  EXPECT_EQ(evaluated("T.pow(x, 2)").type(), float32);
  EXPECT_EQ(evaluated("T.exp(1)").type(), float32);
  EXPECT_EQ(evaluated("T.Select(p, 1, k)").type(), int32);
  EXPECT_EQ(evaluated("A[0, 0:4] + 1").type(), float32.with_lanes(4));
  EXPECT_EQ(evaluated("k < 3").type(), boolean);
}

TEST(TextTypes, a_narrow_integer_is_widened_where_it_meets_int64) {
  for (const char* text : {"n + k", "k + n", "T.max(k, n)", "B[0] + n", "T.Select(p, k, n)"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(evaluated(text).type(), int64);
  }
  const Expr whole = evaluated("n + k");
  const auto* sum = whole.as<Binary>();
  ASSERT_TRUE(sum->right.is<Cast>());
  EXPECT_EQ(sum->right.as<Cast>()->value.type(), int32);
  EXPECT_THROW(evaluated("B[0] + k"), Error);         // neither is int64
  EXPECT_THROW(evaluated("T.uint64(1) + n"), Error);  // uint64 does not fit int64
}

TEST(TextTypes, a_narrow_integer_is_widened_as_an_index) {
  const Expr load = evaluated("A[k, B[k]]");
  for (const Expr& index : load.as<Load>()->indices) EXPECT_EQ(index.type(), int64);
}

TEST(TextTypes, a_declared_type_casts_the_integer) {
  const Function f = parse_function(around("y: T.int32 = n * 2\nT.evaluate(y)"));
  const auto* let = f.body.as<LetStmt>();
  EXPECT_EQ(let->var.type(), int32);
  ASSERT_TRUE(let->value.is<Cast>());
  EXPECT_EQ(let->value.as<Cast>()->value.type(), int64);
}

TEST(TextTypes, the_printer_writes_a_cast_that_would_not_come_back) {
  // Casts of both sides, of a side that meets only a number, of a constant, in a value nothing meets: none
  // would be inserted.
  expect_prints_back(around("T.evaluate(T.Cast(\"int64\", k) + T.Cast(\"int64\", k))"));
  expect_prints_back(around("T.evaluate(T.Cast(\"int64\", k) + 1)"));
  expect_prints_back(around("T.evaluate(T.Cast(\"int64\", k))"));
  expect_prints_back(around("y: T.int32 = T.Cast(\"int32\", 5)\nT.evaluate(y)"));
  expect_prints_back(around("T.evaluate(T.int32(1) + T.int32(2))"));
  expect_prints_back(around("C[T.int32(3)] = k"));
  // A cast that would come back is left out.
  expect_prints_as(around("C[T.Cast(\"int64\", k)] = n + T.Cast(\"int64\", k)"), around("C[k] = n + k"));
  expect_prints_as(around("C[0] = T.Cast(\"int64\", k)"), around("C[0] = k"));
  expect_prints_as(around("y: T.int8 = T.Cast(\"int8\", n)\nT.evaluate(y)"),
                   around("y: T.int8 = n\nT.evaluate(y)"));
}

TEST(TextTypes, other_spellings_mean_the_same) {
  expect_prints_as(around("T.evaluate(T.cast(n, \"int8\"))"), around("T.evaluate(T.Cast(\"int8\", n))"));
  expect_prints_as(around("T.evaluate(T.int8(n))"), around("T.evaluate(T.Cast(\"int8\", n))"));
  expect_prints_as(around("T.evaluate(T.floordiv(n, 2) + T.floormod(n, 3))"),
                   around("T.evaluate(n // 2 + n % 3)"));
  expect_prints_as(around("T.evaluate(True or p)"), around("T.evaluate(T.bool(True) or p)"));
  expect_prints_as(around("T.evaluate(0x10)"), around("T.evaluate(16)"));
  expect_prints_as(around("y = n + 1\nT.evaluate(y)"), around("y: T.int64 = n + 1\nT.evaluate(y)"));
  expect_prints_as(around("pass"), around("T.evaluate(0)"));
  expect_prints_as(around("for i in T.grid(4):\n    T.evaluate(i)"),
                   around("for i in range(4):\n    T.evaluate(i)"));
  expect_prints_as(around("for i in T.serial(4):\n    T.evaluate(i)"),
                   around("for i in range(4):\n    T.evaluate(i)"));
  expect_prints_as(around("D = T.decl_buffer((4,), scope=\"shared\")\nD[0] = x"),
                   around("D = T.allocate([4], \"float32\", \"shared\")\nD_1 = T.Buffer((4,), data=D, "
                          "scope=\"shared\")\nD_1[0] = x"));
  expect_prints_as(
      around("with T.block('b'):\n    T.reads([A[0, 0], C[1]])\n    pass"),
      around(
          "# with T.block(\"root\"):\nwith T.block(\"b\"):\n    T.reads(A[0, 0], C[1])\n    T.evaluate(0)"));
  expect_prints_as(around("if p:\n    pass\nelse:\n    if p:\n        pass"),
                   around("if p:\n    T.evaluate(0)\nelif p:\n    T.evaluate(0)"));
}

TEST(TextTypes, limits_of_types_read_as_constants) {
  EXPECT_EQ(*constant_int(evaluated("T.min_value(\"int8\")")), -128);
  EXPECT_EQ(*constant_int(evaluated("T.max_value(\"int4\")")), 7);
  EXPECT_EQ(*constant_int(evaluated("T.max_value(\"uint64\")")), -1);  // its bits
  EXPECT_EQ(*constant_int(evaluated("T.min_value(\"int64\")")), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(evaluated("T.max_value(\"float16\")").as<FloatImm>()->value, 65504);
  EXPECT_EQ(evaluated("T.min_value(\"float8_e4m3\")").as<FloatImm>()->value, -448);
  EXPECT_EQ(evaluated("T.max_value(\"float32\")").as<FloatImm>()->value, std::numeric_limits<float>::max());
  EXPECT_TRUE(std::isinf(evaluated("T.infinity(\"float8_e5m2\")").as<FloatImm>()->value));
  EXPECT_TRUE(std::isnan(evaluated("T.nan(\"bfloat16\")").as<FloatImm>()->value));
}

TEST(TextTypes, every_intrinsic_prints_back) {
  for (const Intrinsic& op : intrinsics()) {
    SCOPED_TRACE(op.name);
    std::vector<Expr> arguments;
    for (int i = 0; i < std::max(op.arity, 0); ++i)
      arguments.push_back(op.floats_only ? make_float(0.5) : make_int(3));
    if (op.name == "if_then_else") arguments[0] = make_bool(true);
    if (op.name == "lookup") arguments[1] = make_broadcast(make_float(0.5), 4);
    if (op.name == "address_of")
      arguments[0] = make_load(make_buffer("A", std::vector<std::int64_t>{4}), {make_int(1)});
    const Expr call = op.result == ResultRule::stated
                          ? make_call(op.name, op.name == "reinterpret" ? float64 : int32, arguments)
                          : make_call(op.name, arguments);
    Function f;
    if (op.name == "address_of")
      f.parameters.push_back({Var("a", handle_type), arguments[0].as<Load>()->buffer});
    f.body = Evaluate{call};
    const Function again = parse_function(print(f));
    EXPECT_EQ(first_difference(f, again), "") << print(f);
  }
}

}  // namespace
}  // namespace ardea
