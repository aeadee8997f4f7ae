#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "ardea/support/narrow_float.h"
#include "ardea/support/random.h"
#include "tests/codegen/lowered.h"

namespace ardea::test {
namespace {

/// The target without F16C converts float16 by integer arithmetic: another path through the backend.
std::vector<target::Target> machines() {
  return {host(), target::find(host().arch == target::Arch::x86_64 ? "generic-x86_64" : "generic-aarch64")};
}

Function cast_function(DataType from, DataType to, std::int64_t size, int lanes) {
  const Buffer a = flat("a", size, from), out = flat("out", size, to);
  const Stmt body = loop(size / lanes, [&](const Var& i) {
    const Expr at = lanes == 1 ? Expr(i) : make_ramp(i * lanes, make_int(1), lanes);
    return make_store(out, {at}, make_cast(to.with_lanes(lanes), make_load(a, {at})));
  });
  return entry(to_string(from) + "_to_" + to_string(to), {a, out}, body);
}

/// Casts each source to each type, compiled as one module, and hands every answer to `check`.
using Check =
    std::function<void(const runtime::Array& source, const runtime::Array& answer, const std::string& where)>;
void cast_all(const std::vector<runtime::Array>& sources, const std::vector<DataType>& types, int lanes,
              const target::Target& target, const Check& check) {
  std::vector<Function> functions;
  for (const runtime::Array& source : sources)
    for (DataType to : types)
      functions.push_back(cast_function(source.type(), to, source.element_count(), lanes));
  const runtime::Module module = load("casts", functions, target, {.optimization_level = 1});
  std::size_t next = 0;
  for (const runtime::Array& source : sources)
    for (DataType to : types) {
      const std::string& name = functions[next++].name;
      const auto answer = runtime::Array::zeros(source.shape(), to);
      module.get_function(name)(source, answer);
      check(source, answer, name + ", " + std::to_string(lanes) + " lanes, on " + target.name);
      if (testing::Test::HasFatalFailure()) return;
    }
}

/// The values in each of the types.
std::vector<runtime::Array> in_types(const std::vector<double>& values, const std::vector<DataType>& types) {
  std::vector<runtime::Array> arrays;
  for (DataType type : types) arrays.push_back(floats(values, type));
  return arrays;
}
std::vector<runtime::Array> in_types(const std::vector<std::int64_t>& values,
                                     const std::vector<DataType>& types) {
  std::vector<runtime::Array> arrays;
  for (DataType type : types) arrays.push_back(integers(values, type));
  return arrays;
}

TEST(Cast, between_integers_wraps) {
  const std::vector<std::int64_t> values = {0,    1,     -1,    127,       128,       255, 256, -128,
                                            -129, 32767, 65535, 1LL << 31, 1LL << 40, -7,  3,   INT64_MIN};
  for (const int lanes : {1, 4})
    cast_all(in_types(values, integer_types), integer_types, lanes, host(),
             [](const runtime::Array& source, const runtime::Array& answer, const std::string& where) {
               const auto wanted = runtime::Array::zeros({1}, answer.type());
               for (std::int64_t i = 0; i < source.element_count(); ++i) {
                 wanted.set_int(0, source.get_int(i));
                 ASSERT_EQ(answer.get_bits(i), wanted.get_bits(0)) << source.get_int(i) << " " << where;
               }
             });
}

/// The bits of x truncated and saturated to `to`, NaN as 0.
std::uint64_t saturated_bits(double x, DataType to) {
  const std::uint64_t all_ones = ~std::uint64_t(0) >> (64 - to.bits), top_bit = std::uint64_t(1)
                                                                                << (to.bits - 1);
  const double smallest = to.is_int() ? -std::ldexp(1, to.bits - 1) : 0;
  const double beyond = std::ldexp(1, to.is_int() ? to.bits - 1 : to.bits);
  if (std::isnan(x)) return 0;
  if (x <= smallest) return to.is_int() ? top_bit : 0;
  if (x >= beyond) return to.is_int() ? top_bit - 1 : all_ones;
  const std::uint64_t bits =
      x < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(x)) : static_cast<std::uint64_t>(x);
  return bits & all_ones;
}

TEST(Cast, from_float_to_integer_truncates_saturates_and_makes_nan_zero) {
  const std::vector<double> values = {0,     -0.0,     0.9,       -0.9,         1.5,    -1.5,    126.9,
                                      127,   128,      -128,      -129,         255,    256,     1e10,
                                      -1e10, 0x1p62,   0x1p63,    -0x1p63,      0x1p64, -0x1p64, 1e30,
                                      -1e30, HUGE_VAL, -HUGE_VAL, std::nan(""), 3.99,   -3.99,   2};
  for (const int lanes : {1, 4})
    for (const target::Target& target : machines())
      cast_all(in_types(values, {float32, float64}), integer_types, lanes, target,
               [](const runtime::Array& source, const runtime::Array& answer, const std::string& where) {
                 for (std::int64_t i = 0; i < source.element_count(); ++i)
                   ASSERT_EQ(answer.get_bits(i), saturated_bits(source.get_float(i), answer.type()))
                       << source.get_float(i) << " " << where;
               });
}

template <class Float>
double as_float(std::int64_t stored, DataType from) {
  return from == uint64 ? static_cast<Float>(static_cast<std::uint64_t>(stored)) : static_cast<Float>(stored);
}

TEST(Cast, from_integer_to_float_rounds_to_nearest) {
  const std::vector<std::int64_t> values = {
      0, 1, -1, 127, 255, (1LL << 24) + 1, (1LL << 53) + 1, INT64_MAX, INT64_MIN, -1234567890123, 77, 3};
  for (const int lanes : {1, 4})
    cast_all(in_types(values, integer_types), {float32, float64}, lanes, host(),
             [](const runtime::Array& source, const runtime::Array& answer, const std::string& where) {
               for (std::int64_t i = 0; i < source.element_count(); ++i) {
                 const std::int64_t x = source.get_int(i);
                 const double wanted = answer.type() == float32 ? as_float<float>(x, source.type())
                                                                : as_float<double>(x, source.type());
                 ASSERT_EQ(answer.get_float(i), wanted) << x << " " << where;
               }
             });
}

TEST(Cast, to_bool_asks_for_not_zero) {
  std::vector<runtime::Array> sources =
      in_types(std::vector<double>{0.0, -0.0, 0.5, std::nan("")}, {float32, float64});
  for (const auto& array : in_types(std::vector<std::int64_t>{0, 1, 2, -1}, {int8, uint64}))
    sources.push_back(array);
  for (const int lanes : {1, 4})
    cast_all(sources, {boolean}, lanes, host(),
             [](const runtime::Array& source, const runtime::Array& answer, const std::string& where) {
               for (std::int64_t i = 0; i < 4; ++i)
                 EXPECT_EQ(answer.get_bits(i), source.get_float(i) != 0 ? 1u : 0u) << where;
             });
  for (const int lanes : {1, 4})
    cast_all({integers({0, 1, 1, 0}, boolean)}, {int8, uint64, float32, float64}, lanes, host(),
             [](const runtime::Array&, const runtime::Array& answer, const std::string& where) {
               for (std::int64_t i = 0; i < 4; ++i) EXPECT_EQ(answer.get_float(i), i == 1 || i == 2) << where;
             });
}

TEST(Cast, of_every_float16_is_exact) {
  const auto all = runtime::Array::zeros({65536}, float16);
  for (std::int64_t i = 0; i < 65536; ++i) all.set_bits(i, static_cast<std::uint64_t>(i));
  for (const target::Target& target : machines())
    for (const int lanes : {1, 8})
      cast_all({all}, {float32, float64}, lanes, target,
               [](const runtime::Array&, const runtime::Array& answer, const std::string& where) {
                 for (std::int64_t i = 0; i < 65536; ++i) {
                   const double wanted = decode_narrow(static_cast<std::uint32_t>(i), narrow_format(float16)),
                                got = answer.get_float(i);
                   ASSERT_TRUE(std::isnan(wanted) ? std::isnan(got)
                                                  : std::bit_cast<std::uint64_t>(wanted) ==
                                                        std::bit_cast<std::uint64_t>(got))
                       << "bits " << i << " gave " << got << " " << where;
                 }
               });
}

/// The neighbourhoods of float16 values and of midpoints between two, where a second rounding would show: all
/// of the subnormal ones, and a sample of the others.
std::vector<double> around_halves() {
  std::vector<double> values;
  for (std::uint32_t bits = 0; bits < 0x7c00; bits += bits < 0x0800 || bits > 0x7b00 ? 1 : 13) {
    const double here = decode_narrow(bits, narrow_format(float16));
    const double next = bits == 0x7bff ? 65536 : decode_narrow(bits + 1, narrow_format(float16));
    const double middle = (here + next) / 2;
    for (double x : {here, middle, std::nextafter(middle, 0.0), std::nextafter(middle, 1e9)})
      values.push_back(bits % 2 ? x : -x);
  }
  Random random(7);
  for (int i = 0; i < 1000; ++i) values.push_back(std::bit_cast<double>(random.next()));
  for (double x : {1e6, -1e6, 1e-9, 0x1p-25, 0x1.8p-25, 65519.99, 65520.0, HUGE_VAL, -HUGE_VAL, std::nan("")})
    values.push_back(x);
  while (values.size() % 8 != 0) values.push_back(1);
  return values;
}

TEST(Cast, to_float16_rounds_once_from_every_type) {
  const auto check = [](const runtime::Array& source, const runtime::Array& answer,
                        const std::string& where) {
    for (std::int64_t i = 0; i < source.element_count(); ++i) {
      const DataType from = source.type();
      const double x = from.is_float() ? source.get_float(i) : as_float<double>(source.get_int(i), from);
      if (std::isnan(x))
        ASSERT_GT(answer.get_bits(i) & 0x7fff, 0x7c00u);
      else
        ASSERT_EQ(answer.get_bits(i), encode_narrow(x, narrow_format(float16)))
            << fmt::format("{:a} ", x) << where;
    }
  };
  for (const target::Target& target : machines())
    for (const int lanes : {1, 8})
      cast_all(in_types(around_halves(), {float64, float32, int64, uint64, int16}), {float16}, lanes, target,
               check);
}

TEST(Reinterpret, keeps_the_bits) {
  const Buffer a = flat("a", 4, float32), out = flat("out", 4, int32);
  const auto answer = runtime::Array::zeros({4}, int32);
  run_elementwise(out, [&](const Var& i) { return make_call("reinterpret", int32, {make_load(a, {i})}); },
                  {a, out}, {floats({1.0, -0.0, 0.5, -2.0}, float32), answer});
  EXPECT_EQ(answer.get_int(0), 0x3f800000);
  EXPECT_EQ(answer.get_int(1), INT32_MIN);
  const Buffer words = flat("words", 1, int32), bytes = flat("bytes", 4, uint8);
  const auto split = runtime::Array::zeros({4}, uint8);
  const Stmt body =
      make_store(bytes, {make_ramp(make_int(0), make_int(1), 4)},
                 make_call("reinterpret", uint8.with_lanes(4), {make_load(words, {make_int(0)})}));
  compile(entry("split", {words, bytes}, body))(integers({0x04030201}, int32), split);
  for (std::int64_t i = 0; i < 4; ++i) EXPECT_EQ(split.get_int(i), i + 1);
}

}  // namespace
}  // namespace ardea::test
