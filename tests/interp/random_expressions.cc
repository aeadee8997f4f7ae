#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "ardea/support/random.h"
#include "tests/interp/programs.h"

/// Random expressions against a second evaluator, written from docs/semantics.md in plain C++ with other
/// means: integers in 128 bits, narrow floats by searching the list of all their values.

namespace ardea::interp {
namespace {

using Wide = __int128;

Wide wrap_wide(Wide value, DataType type) {
  const Wide span = Wide{1} << type.bits;
  Wide rest = value % span;
  if (rest < 0) rest += span;
  return type.is_int() && rest >= span / 2 ? rest - span : rest;
}

Wide floor_quotient(Wide a, Wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

Wide power_of_two(Wide n) { return Wide{1} << static_cast<int>(n); }

Wide integer_oracle(BinaryOp op, DataType type, Wide a, Wide b) {
  switch (op) {
    case BinaryOp::add: return wrap_wide(a + b, type);
    case BinaryOp::sub: return wrap_wide(a - b, type);
    case BinaryOp::mul:
      return wrap_wide(wrap_wide(a, uint32) * b + wrap_wide((a >> 32) * b, type) * power_of_two(32), type);
    case BinaryOp::floor_div: return wrap_wide(floor_quotient(a, b), type);
    case BinaryOp::floor_mod: return wrap_wide(a - floor_quotient(a, b) * b, type);
    case BinaryOp::trunc_div: return wrap_wide(a / b, type);
    case BinaryOp::trunc_mod: return wrap_wide(a % b, type);
    case BinaryOp::min: return a < b ? a : b;
    case BinaryOp::max: return a < b ? b : a;
    case BinaryOp::bit_and: return wrap_wide(a & b, type);
    case BinaryOp::bit_or: return wrap_wide(a | b, type);
    case BinaryOp::bit_xor: return wrap_wide(a ^ b, type);
    case BinaryOp::shift_left:
      return b < 0 || b >= type.bits ? 0 : wrap_wide(wrap_wide(a, type) * power_of_two(b), type);
    case BinaryOp::shift_right:
      return b < 0 || b >= type.bits ? (a < 0 ? -1 : 0) : floor_quotient(a, power_of_two(b));
    default: throw InternalError("no such operation in these tests");
  }
}

struct IntegerTree {
  Expr expression;
  Wide value = 0;
};

IntegerTree random_integer(Random& random, DataType type, int depth) {
  if (depth == 0 || random.chance(0.1)) {
    const std::int64_t corners[] = {0,  1,  -1,  2,    7,
                                    63, 64, 127, -128, std::numeric_limits<std::int64_t>::min()};
    const std::int64_t draw =
        random.chance(0.5) ? corners[random.integer(0, 9)] : static_cast<std::int64_t>(random.next());
    const Wide value = wrap_wide(draw, type);
    return {make_int(static_cast<std::int64_t>(value), type), value};
  }
  const IntegerTree a = random_integer(random, type, depth - 1), b = random_integer(random, type, depth - 1);
  if (random.chance(0.1)) return {-a.expression, wrap_wide(-a.value, type)};
  if (random.chance(0.1)) return {make_unary(UnaryOp::bit_not, a.expression), wrap_wide(-a.value - 1, type)};
  if (random.chance(0.1))
    return {make_select(a.expression < b.expression, b.expression, a.expression),
            a.value < b.value ? b.value : a.value};
  const std::vector<BinaryOp> ops = {BinaryOp::add,        BinaryOp::sub,        BinaryOp::mul,
                                     BinaryOp::floor_div,  BinaryOp::floor_mod,  BinaryOp::trunc_div,
                                     BinaryOp::trunc_mod,  BinaryOp::min,        BinaryOp::max,
                                     BinaryOp::bit_and,    BinaryOp::bit_or,     BinaryOp::bit_xor,
                                     BinaryOp::shift_left, BinaryOp::shift_right};
  BinaryOp op = random.pick(ops);
  const bool divides = op >= BinaryOp::floor_div && op <= BinaryOp::trunc_mod;
  if (divides && b.value == 0) op = BinaryOp::add;
  return {make_binary(op, a.expression, b.expression), integer_oracle(op, type, a.value, b.value)};
}

TEST(RandomExpressions, of_every_integer_type_agree_with_the_second_evaluator) {
  for (const DataType type : {int8, int16, int32, int64, uint8, uint16, uint32, uint64})
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
      Random random(seed);
      const IntegerTree tree = random_integer(random, type, 4);
      ASSERT_EQ(value_of(tree.expression).get_int(0), static_cast<std::int64_t>(tree.value))
          << to_string(type) << ", seed " << seed;
      // As indices, bounds and guards are evaluated.
      const Expr right = equals(tree.expression, make_int(static_cast<std::int64_t>(tree.value), type));
      ASSERT_EQ(value_of(make_call("if_then_else", {right, make_int(1), make_int(0)})).get_int(0), 1)
          << to_string(type) << ", seed " << seed;
    }
}

/// The nearest value of a narrow type, ties to the even pattern, from the list of all its values.
double nearest_value(double x, DataType type) {
  static std::map<DataType, std::map<double, unsigned>> all;
  std::map<double, unsigned>& values = all[type];
  const int mantissa_bits = type == float16 ? 10 : 7, exponent_bits = 15 - mantissa_bits,
            bias = (1 << (exponent_bits - 1)) - 1;
  if (values.empty())  // up to 2^(top + 1), which stands for infinity
    for (unsigned pattern = 0; pattern <= ((1u << exponent_bits) - 1) << mantissa_bits; ++pattern) {
      const int exponent = static_cast<int>(pattern >> mantissa_bits);
      const double fraction = pattern & ((1u << mantissa_bits) - 1);
      values[exponent == 0 ? std::ldexp(fraction, 1 - bias - mantissa_bits)
                           : std::ldexp(fraction + (1 << mantissa_bits), exponent - bias - mantissa_bits)] =
          pattern;
    }
  if (std::isnan(x) || std::isinf(x)) return x;
  const double magnitude = std::fabs(x), largest = values.rbegin()->first;
  double answer = largest;
  if (magnitude < largest) {
    const auto above = values.lower_bound(magnitude);
    if (above->first == magnitude) return x;
    const auto below = std::prev(above);
    const double up = above->first - magnitude, down = magnitude - below->first;
    answer = up < down || (up == down && above->second % 2 == 0) ? above->first : below->first;
  }
  return std::copysign(answer == largest ? std::numeric_limits<double>::infinity() : answer, x);
}

struct FloatTree {
  Expr expression;
  double value = 0;
};

double float_oracle(BinaryOp op, DataType type, double a, double b) {
  if (op == BinaryOp::min || op == BinaryOp::max) {
    if (std::isnan(a) || std::isnan(b)) return std::nan("");
    if (a == b)
      return (std::signbit(a) || std::signbit(b)) && op == BinaryOp::min ? (std::signbit(a) ? a : b)
                                                                         : (std::signbit(a) ? b : a);
    return (a < b) == (op == BinaryOp::min) ? a : b;
  }
  const auto compute = [op](auto x, auto y) -> double {
    switch (op) {
      case BinaryOp::add: return x + y;
      case BinaryOp::sub: return x - y;
      case BinaryOp::mul: return x * y;
      default: return x / y;
    }
  };
  if (type == float64) return compute(a, b);
  if (type == float32) return compute(static_cast<float>(a), static_cast<float>(b));
  return nearest_value(compute(a, b), type);
}

FloatTree random_float(Random& random, DataType type, int depth) {
  if (depth == 0 || random.chance(0.1)) {
    const double corners[] = {
        0.0, -0.0, 1, -1, 0.1, 3, 1e5, 6e-8, std::numeric_limits<double>::infinity(), std::nan("")};
    const double draw = random.chance(0.4)
                            ? corners[random.integer(0, 9)]
                            : std::ldexp(random.real() - 0.5, static_cast<int>(random.integer(-20, 20)));
    const double value = type == float64   ? draw
                         : type == float32 ? static_cast<float>(draw)
                                           : nearest_value(draw, type);
    return {make_float(value, type), value};
  }
  const FloatTree a = random_float(random, type, depth - 1), b = random_float(random, type, depth - 1);
  if (random.chance(0.1)) return {-a.expression, -a.value};
  if (random.chance(0.1))
    return {make_select(a.expression <= b.expression, b.expression, a.expression),
            a.value <= b.value ? b.value : a.value};
  const BinaryOp op = random.pick(std::vector<BinaryOp>{BinaryOp::add, BinaryOp::sub, BinaryOp::mul,
                                                        BinaryOp::div, BinaryOp::min, BinaryOp::max});
  return {make_binary(op, a.expression, b.expression), float_oracle(op, type, a.value, b.value)};
}

TEST(RandomExpressions, of_every_float_type_agree_with_the_second_evaluator) {
  for (const DataType type : {float16, bfloat16, float32, float64})
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      Random random(seed);
      const FloatTree tree = random_float(random, type, 4);
      const double given = value_of(tree.expression).get_float(0);
      if (std::isnan(tree.value)) {
        ASSERT_TRUE(std::isnan(given)) << to_string(type) << ", seed " << seed;
        continue;
      }
      ASSERT_EQ(given, tree.value) << to_string(type) << ", seed " << seed;
      ASSERT_EQ(std::signbit(given), std::signbit(tree.value)) << to_string(type) << ", seed " << seed;
    }
}

TEST(RandomExpressions, casts_to_narrow_floats_find_the_nearest_value) {
  Random random(7);
  for (const DataType type : {float16, bfloat16})
    for (int i = 0; i < 500; ++i) {
      const double x = std::ldexp(random.real() - 0.5, static_cast<int>(random.integer(-30, 20)));
      ASSERT_EQ(value_of(make_cast(type, make_float(x, float64))).get_float(0), nearest_value(x, type)) << x;
    }
}

}  // namespace
}  // namespace ardea::interp
