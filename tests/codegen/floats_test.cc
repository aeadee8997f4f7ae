#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "ardea/support/narrow_float.h"
#include "tests/codegen/lowered.h"

namespace ardea::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

const std::vector<double> float_corners = {0.0,  -0.0, 1.0,      -1.0,      0.5, -0.5,    2.5,  -2.5,  3.75,
                                           1e-3, -7.0, infinity, -infinity, nan, 65504.0, 1e30, -1e30, 1e-40};

/// Both are NaN, or both are the same bits: -0 is not +0.
testing::AssertionResult same(double a, double b) {
  if (std::isnan(a) && std::isnan(b)) return testing::AssertionSuccess();
  if (std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << a << " is not " << b;
}

double minimum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return nan;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

double expected(BinaryOp op, double a, double b) {
  switch (op) {
    case BinaryOp::add: return a + b;
    case BinaryOp::sub: return a - b;
    case BinaryOp::mul: return a * b;
    case BinaryOp::div: return a / b;
    case BinaryOp::min: return minimum(a, b);
    case BinaryOp::max: return -minimum(-a, -b);
    case BinaryOp::eq: return a == b;
    case BinaryOp::ne: return a != b;
    case BinaryOp::lt: return a < b;
    case BinaryOp::le: return a <= b;
    case BinaryOp::gt: return a > b;
    case BinaryOp::ge: return a >= b;
    default: throw std::logic_error("no meaning");
  }
}

class FloatCorners : public testing::TestWithParam<std::tuple<DataType, int, std::string>> {};

TEST_P(FloatCorners, follow_ieee_754_2019_for_every_operation) {
  const auto [type, lanes, machine] = GetParam();
  std::vector<double> left, right;
  for (double a : float_corners)
    for (double b : float_corners) {
      left.push_back(round_to_type(a, type));
      right.push_back(round_to_type(b, type));
    }
  left.resize((left.size() + lanes - 1) / lanes * lanes);
  right.resize(left.size());
  const auto size = static_cast<std::int64_t>(left.size());
  const std::vector<BinaryOp> operations = {BinaryOp::add, BinaryOp::sub, BinaryOp::mul, BinaryOp::div,
                                            BinaryOp::min, BinaryOp::max, BinaryOp::eq,  BinaryOp::ne,
                                            BinaryOp::lt,  BinaryOp::le,  BinaryOp::gt,  BinaryOp::ge};
  const auto result_of = [&, type = type](BinaryOp op) { return is_comparison(op) ? boolean : type; };
  const auto name_of = [](BinaryOp op) { return "operation_" + std::to_string(static_cast<int>(op)); };
  std::vector<Function> functions;
  for (BinaryOp op : operations) {
    const Buffer a = flat("a", size, type), b = flat("b", size, type), out = flat("out", size, result_of(op));
    const Stmt body = loop(size / lanes, [&, lanes = lanes](const Var& i) {
      const Expr at = lanes == 1 ? Expr(i) : make_ramp(i * lanes, make_int(1), lanes);
      return make_store(out, {at}, make_binary(op, make_load(a, {at}), make_load(b, {at})));
    });
    functions.push_back(entry(name_of(op), {a, b, out}, body));
  }
  const target::Target target = machine == "host" ? host() : target::find(machine);
  const runtime::Module module = load("corners", functions, target, {});
  for (BinaryOp op : operations) {
    const auto answer = runtime::Array::zeros({size}, result_of(op));
    module.get_function(name_of(op))(floats(left, type), floats(right, type), answer);
    for (std::int64_t i = 0; i < size; ++i)
      ASSERT_TRUE(same(answer.get_float(i), round_to_type(expected(op, left[i], right[i]), type)))
          << to_string(type) << " " << name_of(op) << " of " << left[i] << " and " << right[i];
  }
}

std::string generic_name() {
  return host().arch == target::Arch::x86_64 ? "generic-x86_64" : "generic-aarch64";
}

INSTANTIATE_TEST_SUITE_P(Types, FloatCorners,
                         testing::Combine(testing::Values(float32, float64), testing::Values(1, 4, 8, 16),
                                          testing::Values(std::string("host"), generic_name())));

/// For each row: the intrinsic, what it means in double precision, and the ulps it may be wrong by.
struct MathRow {
  const char* name;
  double (*meaning)(double);
  double ulps;
};

const std::vector<MathRow> unary_rows = {
    {"exp", std::exp, 1},     {"exp2", std::exp2, 1},   {"exp10", exp10, 1},
    {"expm1", std::expm1, 1}, {"log", std::log, 1},     {"log2", std::log2, 1},
    {"log10", std::log10, 2}, {"log1p", std::log1p, 1}, {"sqrt", std::sqrt, 0},
    {"tanh", std::tanh, 2},   {"erf", std::erf, 1},     {"sin", std::sin, 1},
    {"cos", std::cos, 1},     {"tan", std::tan, 1},     {"asin", std::asin, 1},
    {"acos", std::acos, 1},   {"atan", std::atan, 1},   {"sinh", std::sinh, 2},
    {"cosh", std::cosh, 1},   {"floor", std::floor, 0}, {"ceil", std::ceil, 0},
    {"round", std::round, 0}, {"trunc", std::trunc, 0}, {"nearbyint", std::nearbyint, 0},
    {"abs", std::fabs, 0},
};

double ulp_of(double value, DataType type) {
  if (type == float64) return std::nextafter(std::fabs(value), infinity) - std::fabs(value);
  const auto single = static_cast<float>(std::fabs(value));
  return double(std::nextafter(single, std::numeric_limits<float>::infinity())) - single;
}

void expect_within_ulps(double got, double wanted, double ulps, DataType type, const std::string& what) {
  const double rounded = round_to_type(wanted, type);
  if (std::isnan(wanted) || std::isinf(rounded)) {
    EXPECT_TRUE(same(got, rounded)) << what;
    return;
  }
  if (ulps == 0) {
    EXPECT_TRUE(same(got, rounded)) << what;
  }
  EXPECT_LE(std::fabs(got - wanted), (ulps + 0.5) * ulp_of(rounded, type)) << what << " gave " << got;
}

TEST(Math, agrees_with_the_c_library_within_the_stated_ulps) {
  const std::vector<double> points = {0.0, -0.0, 0.25, -0.25, 0.5,      1.0,       -1.0, 1.5,
                                      2.5, -2.5, 3.0,  10.75, infinity, -infinity, nan,  0.875};
  for (DataType type : {float32, float64})
    for (const int lanes : {1, 4}) {
      const auto size = static_cast<std::int64_t>(points.size());
      const Buffer a = flat("a", size, type);
      std::vector<Function> functions;
      for (const MathRow& row : unary_rows) {
        const Buffer out = flat("out", size, type);
        functions.push_back(entry(row.name, {a, out}, loop(size / lanes, [&](const Var& i) {
                                    const Expr at =
                                        lanes == 1 ? Expr(i) : make_ramp(i * lanes, make_int(1), lanes);
                                    return make_store(out, {at}, make_call(row.name, {make_load(a, {at})}));
                                  })));
      }
      for (const std::string& machine : {std::string("host"), generic_name()}) {
        const target::Target target = target::find(machine);
        const runtime::Module module = load("math", functions, target, {});
        for (const MathRow& row : unary_rows) {
          const auto answer = runtime::Array::zeros({size}, type);
          module.get_function(row.name)(floats(points, type), answer);
          for (std::int64_t i = 0; i < size; ++i)
            expect_within_ulps(
                answer.get_float(i), row.meaning(points[i]), row.ulps, type,
                to_string(type) + " " + row.name + "(" + std::to_string(points[i]) + ") on " + machine);
        }
      }
    }
}

TEST(Math, of_two_and_three_arguments) {
  struct Row {
    const char* name;
    double (*meaning)(double, double);
    double ulps;
  };
  const std::vector<Row> rows = {
      {"pow", std::pow, 1},
      {"atan2", std::atan2, 1},
      {"fmod", std::fmod, 0},
      {"copysign", std::copysign, 0},
      {"scalbn", [](double x, double n) { return std::ldexp(x, static_cast<int>(n)); }, 0}};
  const std::vector<double> left = {2.0, 0.5, -8.0, 7.25, 0.0, nan, infinity},
                            right = {3.0, -2.0, 3.0, 2.0, -1.0, 1.0, -0.0};
  const auto size = static_cast<std::int64_t>(left.size());
  for (DataType type : {float32, float64}) {
    const Buffer a = flat("a", size, type), b = flat("b", size, type), out = flat("out", size, type);
    for (const Row& row : rows) {
      const auto answer = runtime::Array::zeros({size}, type);
      run_elementwise(
          out, [&](const Var& i) { return make_call(row.name, {make_load(a, {i}), make_load(b, {i})}); },
          {a, b, out}, {floats(left, type), floats(right, type), answer});
      for (std::int64_t i = 0; i < size; ++i)
        expect_within_ulps(
            answer.get_float(i), row.meaning(left[i], right[i]), row.ulps, type,
            std::string(row.name) + " " + std::to_string(left[i]) + ", " + std::to_string(right[i]));
    }
    // 1 + 2^-12 squared minus 1: the exact answer needs the product unrounded.
    const double x = type == float32 ? 1 + 0x1p-12 : 1 + 0x1p-30;
    for (const std::string& machine : {std::string("host"), generic_name()}) {
      const auto answer = runtime::Array::zeros({size}, type);
      run_elementwise(
          out,
          [&](const Var& i) {
            return make_call("fma", {make_load(a, {i}), make_load(a, {i}), make_load(b, {i})});
          },
          {a, b, out},
          {floats(std::vector<double>(left.size(), x), type),
           floats(std::vector<double>(left.size(), -1), type), answer},
          target::find(machine));
      EXPECT_EQ(answer.get_float(0), round_to_type(std::fma(x, x, -1), type)) << machine;
      EXPECT_NE(answer.get_float(0), round_to_type(round_to_type(x * x, type) - 1, type));
    }
  }
}

/// Element i of the table is i + 0.5.
TEST(Math, looks_up_lanes_of_a_table_by_their_numbers) {
  struct Case {
    DataType index, table;
  };
  const std::vector<Case> cases = {
      {uint32.with_lanes(16), float32.with_lanes(32)},  // one instruction of AVX-512
      {int32.with_lanes(16), float32.with_lanes(16)},
      {int64.with_lanes(3), float64.with_lanes(8)},
      {int32, float32.with_lanes(4)}};
  for (const auto& [index, type] : cases) {
    SCOPED_TRACE(to_string(index) + " of " + to_string(type));
    std::vector<Expr> values;
    std::vector<std::int64_t> order, numbers;
    for (int i = 0; i < type.lanes; ++i) {
      values.push_back(make_float(i + 0.5, type.element()));
      order.push_back(i);
    }
    for (int lane = 0; lane < index.lanes; ++lane) numbers.push_back(lane * 1'000'003 + 7);
    const Buffer in = flat("numbers", index.lanes, index.element()),
                 out = flat("out", index.lanes, type.element());
    const Expr at = index.is_scalar() ? make_int(0) : make_ramp(make_int(0), make_int(1), index.lanes);
    const Stmt body =
        make_store(out, {at}, make_call("lookup", {make_load(in, {at}), make_shuffle(values, order)}));
    for (const std::string& machine : {std::string("host"), generic_name()}) {
      const auto answer = runtime::Array::zeros({index.lanes}, type.element());
      compile(entry("looked_up", {in, out}, body), {}, target::find(machine))(
          integers(numbers, index.element()), answer);
      for (int lane = 0; lane < index.lanes; ++lane)
        EXPECT_EQ(answer.get_float(lane),
                  static_cast<double>(numbers[static_cast<std::size_t>(lane)] % type.lanes) + 0.5)
            << "lane " << lane << " on " << machine;
    }
  }
}

}  // namespace
}  // namespace ardea::test
