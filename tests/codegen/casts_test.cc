#include <bit>
#include <cmath>
#include <limits>

#include "ardea/support/narrow_float.h"
#include "ardea/support/random.h"
#include "tests/codegen/lowered.h"

namespace ardea::test {
namespace {

const std::vector<DataType> integer_types = {int8, int16, int32, int64, uint8, uint16, uint32, uint64};

/// The target without F16C converts float16 by integer arithmetic: another path through the backend.
std::vector<target::Target> machines() {
  return {host(), target::find(host().arch == target::Arch::x86_64 ? "generic-x86_64" : "generic-aarch64")};
}

runtime::Array cast_array(const runtime::Array& source, DataType to, int lanes,
                          const target::Target& target) {
  const std::int64_t size = source.element_count();
  const Buffer a = flat("a", size, source.type()), out = flat("out", size, to);
  const Stmt body = loop(size / lanes, [&](const Var& i) {
    const Expr at = lanes == 1 ? Expr(i) : make_ramp(i * lanes, make_int(1), lanes);
    return make_store(out, {at}, make_cast(to.with_lanes(lanes), make_load(a, {at})));
  });
  const auto answer = runtime::Array::zeros({size}, to);
  compile(entry("cast", {a, out}, body), {.optimization_level = 2}, target)(source, answer);
  return answer;
}

TEST(Cast, between_integers_wraps) {
  for (DataType from : integer_types)
    for (DataType to : integer_types) {
      const auto source = integers(
          {0, 1, -1, 127, 128, 255, 256, -128, -129, 32767, 65535, 1LL << 31, 1LL << 40, -7, 3, INT64_MIN},
          from);
      for (const int lanes : {1, 4}) {
        const auto answer = cast_array(source, to, lanes, host());
        for (std::int64_t i = 0; i < source.element_count(); ++i) {
          const auto wanted = runtime::Array::zeros({1}, to);
          wanted.set_int(0, source.get_int(i));
          ASSERT_EQ(answer.get_bits(i), wanted.get_bits(0))
              << to_string(from) << " " << source.get_int(i) << " to " << to_string(to);
        }
      }
    }
}

TEST(Cast, from_float_to_integer_truncates_saturates_and_makes_nan_zero) {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> values = {0,     -0.0,     0.9,       -0.9,    1.5,    -1.5,    126.9,
                                      127,   128,      -128,      -129,    255,    256,     1e10,
                                      -1e10, 0x1p62,   0x1p63,    -0x1p63, 0x1p64, -0x1p64, 1e30,
                                      -1e30, infinity, -infinity, nan,     3.99,   -3.99,   2};
  for (DataType from : {float32, float64})
    for (DataType to : integer_types)
      for (const int lanes : {1, 4})
        for (const target::Target& target : machines()) {
          const auto source = floats(values, from);
          const auto answer = cast_array(source, to, lanes, target);
          for (std::int64_t i = 0; i < source.element_count(); ++i) {
            const double x = source.get_float(i), smallest = to.is_int() ? -std::ldexp(1, to.bits - 1) : 0,
                         beyond = std::ldexp(1, to.is_int() ? to.bits - 1 : to.bits);
            std::uint64_t bits = 0;
            if (!std::isnan(x)) {
              if (x <= smallest)
                bits = to.is_int() ? std::uint64_t(1) << (to.bits - 1) : 0;
              else if (x >= beyond)
                bits = to.is_int() ? (std::uint64_t(1) << (to.bits - 1)) - 1
                                   : ~std::uint64_t(0) >> (64 - to.bits);
              else
                bits = (x < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(x))
                              : static_cast<std::uint64_t>(x)) &
                       (~std::uint64_t(0) >> (64 - to.bits));
            }
            ASSERT_EQ(answer.get_bits(i), bits)
                << to_string(from) << " " << x << " to " << to_string(to) << " on " << target.name;
          }
        }
}

TEST(Cast, from_integer_to_float_rounds_to_nearest) {
  const std::vector<std::int64_t> values = {
      0, 1, -1, 127, 255, (1LL << 24) + 1, (1LL << 53) + 1, INT64_MAX, INT64_MIN, -1234567890123, 77, 3};
  for (DataType from : integer_types)
    for (DataType to : {float32, float64})
      for (const int lanes : {1, 4}) {
        const auto source = integers(values, from);
        const auto answer = cast_array(source, to, lanes, host());
        for (std::int64_t i = 0; i < source.element_count(); ++i) {
          const std::int64_t x = source.get_int(i);
          const double wanted = to == float32
                                    ? (from == uint64 ? static_cast<float>(static_cast<std::uint64_t>(x))
                                                      : static_cast<float>(x))
                                    : (from == uint64 ? static_cast<double>(static_cast<std::uint64_t>(x))
                                                      : static_cast<double>(x));
          ASSERT_EQ(answer.get_float(i), wanted) << to_string(from) << " " << x << " to " << to_string(to);
        }
      }
}

TEST(Cast, to_bool_asks_for_not_zero) {
  for (DataType from : {int8, uint64, float32, float64}) {
    const auto source =
        from.is_float() ? floats({0.0, -0.0, 0.5, std::nan("")}, from) : integers({0, 1, 2, -1}, from);
    const auto answer = cast_array(source, boolean, 1, host());
    for (std::int64_t i = 0; i < 4; ++i) EXPECT_EQ(answer.get_bits(i), source.get_float(i) != 0 ? 1u : 0u);
    const auto back = cast_array(answer, from, 4, host());
    for (std::int64_t i = 0; i < 4; ++i) EXPECT_EQ(back.get_float(i), source.get_float(i) != 0 ? 1 : 0);
  }
}

TEST(Cast, of_every_float16_is_exact) {
  const auto source = runtime::Array::zeros({65536}, float16);
  for (std::int64_t i = 0; i < 65536; ++i) source.set_bits(i, static_cast<std::uint64_t>(i));
  for (const target::Target& target : machines())
    for (const int lanes : {1, 8})
      for (DataType to : {float32, float64}) {
        const auto answer = cast_array(source, to, lanes, target);
        for (std::int64_t i = 0; i < 65536; ++i) {
          const double wanted = decode_narrow(static_cast<std::uint32_t>(i), narrow_format(float16)),
                       got = answer.get_float(i);
          ASSERT_TRUE(std::isnan(wanted)
                          ? std::isnan(got)
                          : std::bit_cast<std::uint64_t>(wanted) == std::bit_cast<std::uint64_t>(got))
              << "bits " << i << " gave " << got << " on " << target.name;
        }
      }
}

/// The neighbourhoods of every float16 and of every midpoint between two, where a second rounding would show.
std::vector<double> around_every_half() {
  std::vector<double> values;
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
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
  for (DataType from : {float64, float32, int64, uint64, int16}) {
    const auto source = floats(around_every_half(), from);
    for (const target::Target& target : machines())
      for (const int lanes : {1, 8}) {
        const auto answer = cast_array(source, float16, lanes, target);
        for (std::int64_t i = 0; i < source.element_count(); ++i) {
          double x = source.get_float(i);
          if (from == uint64) x = static_cast<double>(static_cast<std::uint64_t>(source.get_int(i)));
          const std::uint32_t wanted = encode_narrow(x, narrow_format(float16));
          if (std::isnan(x))
            ASSERT_GT(answer.get_bits(i) & 0x7fff, 0x7c00u);
          else
            ASSERT_EQ(answer.get_bits(i), wanted) << to_string(from) << " " << fmt::format("{:a}", x)
                                                  << " on " << target.name << ", " << lanes << " lanes";
        }
      }
  }
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
