#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ardea/interp/math.h"
#include "ardea/ir/intrinsics.h"
#include "tests/interp/programs.h"

namespace ardea::interp {
namespace {

double call(const std::string& name, DataType type, const std::vector<double>& arguments) {
  std::vector<Expr> operands;
  for (const double x : arguments) operands.push_back(make_float(x, type));
  return value_of(make_call(name, operands)).get_float(0);
}

TEST(Functions, every_elementwise_intrinsic_has_its_meaning) {
  for (const Intrinsic& op : intrinsics()) {
    const bool elementwise = op.effect == Effect::pure &&
                             (op.result == ResultRule::same_as_first || op.result == ResultRule::boolean);
    EXPECT_EQ(lane_function(op) != nullptr, elementwise) << op.name;
  }
}

TEST(Functions, are_the_float64_ones_rounded_to_the_type) {
  // Constants to 17 digits, from tables.
  EXPECT_EQ(call("exp", float64, {1}), 2.718281828459045);
  EXPECT_EQ(call("exp", float32, {1}), static_cast<double>(2.7182817f));
  EXPECT_EQ(call("exp", float16, {1}), 2.71875);
  EXPECT_EQ(call("exp", bfloat16, {1}), 2.71875);
  EXPECT_EQ(call("log", float64, {2}), 0.6931471805599453);
  EXPECT_EQ(call("exp2", float32, {10}), 1024);
  EXPECT_EQ(call("exp10", float32, {3}), 1000);
  EXPECT_EQ(call("log2", float32, {8}), 3);
  EXPECT_EQ(call("log10", float32, {1000}), 3);
  EXPECT_DOUBLE_EQ(call("expm1", float64, {1e-10}), 1.00000000005e-10);
  EXPECT_DOUBLE_EQ(call("log1p", float64, {1e-10}), 9.9999999995e-11);
  EXPECT_DOUBLE_EQ(call("tanh", float64, {1}), 0.7615941559557649);
  EXPECT_DOUBLE_EQ(call("sigmoid", float64, {1}), 0.7310585786300049);
  EXPECT_DOUBLE_EQ(call("erf", float64, {1}), 0.8427007929497149);
  EXPECT_DOUBLE_EQ(call("pow", float64, {2, 0.5}), 1.4142135623730951);
  EXPECT_DOUBLE_EQ(call("rsqrt", float64, {4}), 0.5);
  EXPECT_DOUBLE_EQ(call("sin", float64, {1}), 0.8414709848078965);
  EXPECT_DOUBLE_EQ(call("cos", float64, {1}), 0.5403023058681398);
  EXPECT_DOUBLE_EQ(call("tan", float64, {1}), 1.5574077246549023);
  EXPECT_DOUBLE_EQ(call("asin", float64, {1}), 1.5707963267948966);
  EXPECT_DOUBLE_EQ(call("acos", float64, {-1}), 3.141592653589793);
  EXPECT_DOUBLE_EQ(call("atan", float64, {1}), 0.7853981633974483);
  EXPECT_DOUBLE_EQ(call("sinh", float64, {1}), 1.1752011936438014);
  EXPECT_DOUBLE_EQ(call("cosh", float64, {1}), 1.5430806348152437);
  EXPECT_DOUBLE_EQ(call("atan2", float64, {1, -1}), 2.356194490192345);
}

TEST(Functions, exact_ones_are_exact) {
  EXPECT_EQ(call("sqrt", float32, {2}), static_cast<double>(1.41421354f));
  EXPECT_EQ(call("sqrt", float64, {2}), 1.4142135623730951);
  EXPECT_EQ(call("sqrt", float16, {2}), 1.4140625);
  EXPECT_EQ(call("floor", float32, {-1.5}), -2);
  EXPECT_EQ(call("ceil", float32, {-1.5}), -1);
  EXPECT_EQ(call("trunc", float32, {-1.5}), -1);
  EXPECT_EQ(call("round", float32, {2.5}), 3);
  EXPECT_EQ(call("round", float32, {-2.5}), -3);
  EXPECT_EQ(call("nearbyint", float32, {2.5}), 2);
  EXPECT_EQ(call("nearbyint", float32, {3.5}), 4);
  EXPECT_EQ(call("fmod", float32, {-7.5, 2}), -1.5);
  EXPECT_EQ(call("copysign", float32, {3, -0.0}), -3);
  EXPECT_EQ(call("scalbn", float32, {3, -2}), 0.75);
  EXPECT_EQ(call("scalbn", float32, {1.5, -149}), 0x1p-148);  // rounded once, to even
  EXPECT_TRUE(std::isinf(call("scalbn", float32, {1, 1e9})));
  EXPECT_EQ(call("abs", float32, {-0.0}), 0);
  EXPECT_FALSE(std::signbit(call("abs", float32, {-0.0})));
}

TEST(Functions, lookup_takes_the_lane_of_the_table_that_the_index_numbers_modulo_their_count) {
  const Expr table = make_shuffle(
      {make_float(0.5, float32), make_float(1.5, float32), make_float(-2.5, float32), make_float(8, float32)},
      {0, 1, 2, 3});
  const Expr index = make_shuffle({make_int(3, int32), make_int(5, int32), make_int(-2, int32)}, {0, 1, 2});
  const runtime::Array found = value_of(make_call("lookup", {index, table}));
  EXPECT_EQ(found.get_float(0), 8);
  EXPECT_EQ(found.get_float(1), 1.5);
  EXPECT_EQ(found.get_float(2), -2.5);
  EXPECT_EQ(value_of(make_call("lookup", {make_int(-1, int64), table})).get_float(0), 8);
}

TEST(Functions, fma_of_narrow_floats_rounds_the_float32_fma) {
  // In float16: 3 * 683 + 0.5 = 2049.5, between 2048 and 2050.
  EXPECT_EQ(call("fma", float16, {3, 683, 0.5}), 2050);
  EXPECT_EQ(call("fma", bfloat16, {16, 16, 1}), 256);
  EXPECT_EQ(call("fma", float64, {1 + std::ldexp(1, -30), 1 - std::ldexp(1, -30), -1}), -std::ldexp(1, -60));
}

TEST(Functions, bits_are_those_of_the_types_width) {
  const auto bits = [](const char* name, std::int64_t x, DataType type) {
    return value_of(make_call(name, {make_int(x, type)})).get_int(0);
  };
  EXPECT_EQ(bits("popcount", -1, int8), 8);
  EXPECT_EQ(bits("popcount", -1, int64), 64);
  EXPECT_EQ(bits("popcount", 255, uint16), 8);
  EXPECT_EQ(bits("clz", 0, int32), 32);
  EXPECT_EQ(bits("clz", 1, uint8), 7);
  EXPECT_EQ(bits("clz", -1, int16), 0);
}

TEST(Functions, classify_numbers) {
  const double infinity = std::numeric_limits<double>::infinity(), nan_value = std::nan("");
  for (const DataType type : {float16, bfloat16, float32, float64}) {
    EXPECT_EQ(call("isnan", type, {nan_value}), 1);
    EXPECT_EQ(call("isnan", type, {infinity}), 0);
    EXPECT_EQ(call("isinf", type, {-infinity}), 1);
    EXPECT_EQ(call("isinf", type, {1}), 0);
    EXPECT_EQ(call("isfinite", type, {1}), 1);
    EXPECT_EQ(call("isfinite", type, {infinity}), 0);
  }
}

TEST(Functions, reinterpret_keeps_the_bits) {
  EXPECT_EQ(value_of(make_call("reinterpret", int32, {make_float(1)})).get_int(0), 0x3f800000);
  EXPECT_EQ(value_of(make_call("reinterpret", float16, {make_int(0x3c01, int16)})).get_float(0),
            1.0009765625);
  EXPECT_EQ(elements(value_of(make_call("reinterpret", int8.with_lanes(4), {make_int(0x04fe0201, int32)}))),
            (std::vector<double>{1, 2, -2, 4}));
}

}  // namespace
}  // namespace ardea::interp
