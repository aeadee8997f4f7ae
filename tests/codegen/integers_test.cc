#include <gtest/gtest.h>

#include <limits>

#include "tests/codegen/lowered.h"

/// The numeric corners of docs/semantics.md for integers of every width, as scalars and as vectors, against
/// the same arithmetic done here in 128 bits.

namespace ardea::test {
namespace {

using Wide = __int128;

Wide wrap(Wide value, DataType type) {
  const Wide modulus = Wide(1) << type.bits;
  value %= modulus;
  if (value < 0) value += modulus;
  return type.is_int() && value >= modulus / 2 ? value - modulus : value;
}

Wide floor_quotient(Wide a, Wide b) {
  const Wide q = a / b;
  return q - ((a % b != 0 && ((a % b < 0) != (b < 0))) ? 1 : 0);
}

/// What the operation means, by its definition.
Wide expected(BinaryOp op, Wide a, Wide b, DataType type) {
  switch (op) {
    case BinaryOp::add: return wrap(a + b, type);
    case BinaryOp::sub: return wrap(a - b, type);
    case BinaryOp::mul: {
      const Wide modulus = Wide(1) << type.bits;
      const auto product = static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b);
      return wrap(static_cast<Wide>(product & static_cast<unsigned __int128>(modulus - 1)), type);
    }
    case BinaryOp::floor_div: return b == 0 ? 0 : wrap(floor_quotient(a, b), type);
    case BinaryOp::floor_mod: return b == 0 ? a : wrap(a - floor_quotient(a, b) * b, type);
    case BinaryOp::trunc_div: return b == 0 ? 0 : wrap(a / b, type);
    case BinaryOp::trunc_mod: return b == 0 ? a : wrap(a % b, type);
    case BinaryOp::min: return std::min(a, b);
    case BinaryOp::max: return std::max(a, b);
    case BinaryOp::eq: return a == b;
    case BinaryOp::ne: return a != b;
    case BinaryOp::lt: return a < b;
    case BinaryOp::le: return a <= b;
    case BinaryOp::gt: return a > b;
    case BinaryOp::ge: return a >= b;
    case BinaryOp::bit_and: return wrap(a & b, type);
    case BinaryOp::bit_or: return wrap(a | b, type);
    case BinaryOp::bit_xor: return wrap(a ^ b, type);
    case BinaryOp::shift_left:
      return b < 0 || b >= type.bits ? 0 : wrap((a & ((Wide(1) << type.bits) - 1)) << b, type);
    case BinaryOp::shift_right: return b < 0 || b >= type.bits ? (a < 0 ? -1 : 0) : a >> b;
    default: throw std::logic_error("no meaning");
  }
}

const std::vector<std::pair<BinaryOp, const char*>> operations = {
    {BinaryOp::add, "add"},
    {BinaryOp::sub, "sub"},
    {BinaryOp::mul, "mul"},
    {BinaryOp::floor_div, "floor_div"},
    {BinaryOp::floor_mod, "floor_mod"},
    {BinaryOp::trunc_div, "trunc_div"},
    {BinaryOp::trunc_mod, "trunc_mod"},
    {BinaryOp::min, "min"},
    {BinaryOp::max, "max"},
    {BinaryOp::eq, "eq"},
    {BinaryOp::ne, "ne"},
    {BinaryOp::lt, "lt"},
    {BinaryOp::le, "le"},
    {BinaryOp::gt, "gt"},
    {BinaryOp::ge, "ge"},
    {BinaryOp::bit_and, "bit_and"},
    {BinaryOp::bit_or, "bit_or"},
    {BinaryOp::bit_xor, "bit_xor"},
    {BinaryOp::shift_left, "shift_left"},
    {BinaryOp::shift_right, "shift_right"},
};

/// The corners of a type, as numbers and as what an array stores for them.
std::vector<std::int64_t> integer_corners(DataType type) {
  std::vector<std::int64_t> values = {0, 1, 2, 3, 5, 7, 8, 31, 63, 64};
  if (type.is_int()) {
    const std::int64_t smallest =
        type.bits == 64 ? std::numeric_limits<std::int64_t>::min() : -(std::int64_t(1) << (type.bits - 1));
    for (std::int64_t v : {-1L, -2L, -3L, -5L, -7L, -8L, -64L}) values.push_back(v);
    for (std::int64_t v : {smallest, smallest + 1, -(smallest + 1), -(smallest + 2)}) values.push_back(v);
  } else {
    const std::int64_t all_ones = type.bits == 64 ? -1 : (std::int64_t(1) << type.bits) - 1;
    for (std::int64_t v : {all_ones, all_ones - 1, all_ones - 6}) values.push_back(v);
    values.push_back(static_cast<std::int64_t>(std::uint64_t(1) << (type.bits - 1)));
  }
  return values;
}

Wide as_number(std::int64_t stored, DataType type) {
  return type.is_uint() ? Wide(static_cast<std::uint64_t>(stored)) : Wide(stored);
}

struct Pairs {
  std::vector<std::int64_t> left, right;
  std::int64_t size() const { return static_cast<std::int64_t>(left.size()); }
};

/// Every pair of corners, padded with the last pair to a multiple of 8 for vectors.
Pairs all_pairs(DataType type) {
  Pairs pairs;
  for (std::int64_t a : integer_corners(type))
    for (std::int64_t b : integer_corners(type)) {
      pairs.left.push_back(a);
      pairs.right.push_back(b);
    }
  while (pairs.left.size() % 8 != 0) {
    pairs.left.push_back(pairs.left.back());
    pairs.right.push_back(pairs.right.back());
  }
  return pairs;
}

/// out[i] = op(a[i], b[i]) over rows of so many lanes.
Function binary_function(const std::string& name, BinaryOp op, DataType type, std::int64_t size, int lanes,
                         const std::function<Expr(Expr)>& divisor) {
  const Buffer a = flat("a", size, type), b = flat("b", size, type);
  const Buffer out = flat("out", size, is_comparison(op) ? boolean : type);
  const Stmt body = loop(size / lanes, [&](const Var& i) {
    const Expr at = lanes == 1 ? Expr(i) : make_ramp(i * lanes, make_int(1), lanes);
    return make_store(out, {at}, make_binary(op, make_load(a, {at}), divisor(make_load(b, {at}))));
  });
  return entry(name, {a, b, out}, body);
}

class IntegerCorners : public testing::TestWithParam<int> {};

TEST_P(IntegerCorners, agree_with_128_bit_arithmetic_for_every_operation_and_width) {
  const int lanes = GetParam();
  std::vector<Function> functions;
  for (DataType type : integer_types)
    for (const auto& [op, name] : operations)
      functions.push_back(binary_function(to_string(type) + "_" + name, op, type, all_pairs(type).size(),
                                          lanes, [](Expr b) { return b; }));
  const runtime::Module module = load("corners", functions, host(), {});
  for (DataType type : integer_types) {
    const Pairs pairs = all_pairs(type);
    const auto a = integers(pairs.left, type), b = integers(pairs.right, type);
    for (const auto& [op, name] : operations) {
      const DataType result = is_comparison(op) ? boolean : type;
      const auto out = runtime::Array::zeros({pairs.size()}, result);
      module.get_function(to_string(type) + "_" + name)(a, b, out);
      for (std::int64_t i = 0; i < pairs.size(); ++i) {
        const Wide x = as_number(pairs.left[i], type), y = as_number(pairs.right[i], type);
        ASSERT_EQ(out.get_int(i), static_cast<std::int64_t>(expected(op, x, y, type)))
            << to_string(type) << " " << name << "(" << pairs.left[i] << ", " << pairs.right[i] << ")";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Lanes, IntegerCorners, testing::Values(1, 8));

TEST(IntegerCorners, divide_by_constants_as_by_variables) {
  struct Case {
    DataType type;
    std::int64_t divisor;
    BinaryOp op;
  };
  std::vector<Case> cases;
  std::vector<Function> functions;
  for (DataType type : {int8, int32, int64, uint32})
    for (std::int64_t divisor : {0L, 1L, 2L, 3L, 7L, 8L, 64L, -1L, -2L, -3L, -8L})
      for (BinaryOp op :
           {BinaryOp::floor_div, BinaryOp::floor_mod, BinaryOp::trunc_div, BinaryOp::trunc_mod}) {
        if (type.is_uint() && divisor < 0) continue;
        const auto size = static_cast<std::int64_t>(integer_corners(type).size());
        functions.push_back(binary_function("divide_" + std::to_string(cases.size()), op, type, size, 1,
                                            [&](const Expr&) { return make_int(divisor, type); }));
        cases.push_back({type, divisor, op});
      }
  const runtime::Module module = load("divisions", functions, host(), {.optimization_level = 1});
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const auto [type, divisor, op] = cases[k];
    const std::vector<std::int64_t> values = integer_corners(type);
    const auto a = integers(values, type), out = runtime::Array::zeros(a.shape(), type);
    module.get_function(functions[k].name)(a, a, out);
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(out.get_int(static_cast<std::int64_t>(i)),
                static_cast<std::int64_t>(expected(op, as_number(values[i], type), divisor, type)))
          << to_string(type) << " operation " << static_cast<int>(op) << " of " << values[i] << " by "
          << divisor;
  }
}

TEST(Unary, negates_inverts_and_counts_bits) {
  for (DataType type : integer_types) {
    const std::vector<std::int64_t> values = integer_corners(type);
    const auto size = static_cast<std::int64_t>(values.size());
    const Buffer a = flat("a", size, type), out = flat("out", size, type);
    const auto run = [&](const std::function<Expr(Expr)>& f) {
      const auto result = runtime::Array::zeros({size}, type);
      run_elementwise(out, [&](const Var& i) { return f(make_load(a, {i})); }, {a, out},
                      {integers(values, type), result}, host(), {.optimization_level = 1});
      return result;
    };
    const auto negated = run([](const Expr& x) { return make_unary(UnaryOp::negate, x); });
    const auto inverted = run([](const Expr& x) { return make_unary(UnaryOp::bit_not, x); });
    const auto absolute = run([](const Expr& x) { return make_call("abs", {x}); });
    const auto ones = run([](const Expr& x) { return make_call("popcount", {x}); });
    const auto zeros = run([](const Expr& x) { return make_call("clz", {x}); });
    for (std::int64_t i = 0; i < size; ++i) {
      const Wide x = as_number(values[i], type);
      const auto bits = static_cast<std::uint64_t>(values[i]) & (~std::uint64_t(0) >> (64 - type.bits));
      EXPECT_EQ(negated.get_int(i), static_cast<std::int64_t>(wrap(-x, type)));
      EXPECT_EQ(inverted.get_int(i), static_cast<std::int64_t>(wrap(-x - 1, type)));
      EXPECT_EQ(absolute.get_int(i), static_cast<std::int64_t>(wrap(x < 0 ? -x : x, type)));
      EXPECT_EQ(ones.get_int(i), __builtin_popcountll(bits));
      EXPECT_EQ(zeros.get_int(i), bits == 0 ? type.bits : __builtin_clzll(bits) - (64 - type.bits));
    }
  }
}

}  // namespace
}  // namespace ardea::test
