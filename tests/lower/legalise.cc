#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "ardea/ir/builder.h"
#include "ardea/lower/narrow_conversions.h"
#include "ardea/lower/passes.h"
#include "ardea/lower/pipeline.h"
#include "ardea/support/narrow_float.h"
#include "ardea/support/random.h"
#include "programs.h"

/// Conversions as bits, against ardea/support/narrow_float.h.

namespace ardea::lower {

namespace {

using runtime::Array;

/// out[i] = convert(in[i]), interpreted.
template <class Convert>
Array converted(const Array& in, DataType to, const Convert& convert) {
  FunctionBuilder f("convert");
  const Buffer from = f.parameter("in", std::vector<std::int64_t>{in.element_count()}, in.type());
  const Buffer out = f.parameter("out", std::vector<std::int64_t>{in.element_count()}, to);
  f.loop("i", make_int(0), make_int(in.element_count()),
         [&](const Var& i) { f.store(out, {i}, convert(make_load(from, {i}))); });
  const Array result = Array::zeros({in.element_count()}, to);
  interp::run(f.build(), {in, result});
  return result;
}

/// Edges of every format, and their neighbours in float64.
std::vector<double> special_values() {
  std::vector<double> values = {0.0,
                                std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::quiet_NaN(),
                                std::numeric_limits<double>::max(),
                                std::numeric_limits<double>::denorm_min(),
                                std::numeric_limits<float>::max(),
                                std::numeric_limits<float>::denorm_min(),
                                448,
                                464,
                                57344,
                                61440,
                                65504,
                                65520};
  for (const DataType type : {float16, bfloat16, float8_e4m3, float8_e5m2}) {
    const NarrowFormat format = narrow_format(type);
    for (std::uint32_t bits = 0; bits < (1u << (type.bits - 1)); bits += type.bits == 8 ? 1 : 251) {
      const double low = decode_narrow(bits, format), high = decode_narrow(bits + 1, format);
      values.push_back(low);
      values.push_back(low + (high - low) / 2);  // a tie
    }
  }
  const std::size_t count = values.size();
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(std::nextafter(values[i], 1e308));
    values.push_back(std::nextafter(values[i], 0.0));
    values.push_back(-values[i]);
  }
  return values;
}

Array inputs(DataType type, std::uint64_t seed, int random_count) {
  std::vector<double> values = special_values();
  Random random(seed);
  for (int i = 0; i < random_count; ++i)
    values.push_back(std::ldexp(random.real() * 2 - 1, static_cast<int>(random.integer(-160, 140))));
  const Array array = Array::zeros({static_cast<std::int64_t>(values.size())}, type);
  for (std::size_t i = 0; i < values.size(); ++i) array.set_float(static_cast<std::int64_t>(i), values[i]);
  return array;
}

const DataType bit_types[] = {bfloat16, float8_e4m3, float8_e5m2};

TEST(DecodeBits, gives_the_value_of_every_pattern) {
  for (const DataType type : bit_types) {
    const std::int64_t count = std::int64_t{1} << type.bits;
    const Array bits = Array::zeros({count}, bits_type(type));
    for (std::int64_t i = 0; i < count; ++i) bits.set_int(i, i);
    const Array got = converted(bits, float32, [&](const Expr& e) { return decode_bits(e, type); });
    for (std::int64_t i = 0; i < count; ++i) {
      const double wanted = decode_narrow(static_cast<std::uint32_t>(i), narrow_format(type));
      if (std::isnan(wanted))
        EXPECT_TRUE(std::isnan(got.get_float(i))) << to_string(type) << " " << i;
      else
        EXPECT_EQ(got.get_float(i), wanted) << to_string(type) << " " << i;
      EXPECT_EQ(std::signbit(got.get_float(i)), std::signbit(wanted)) << to_string(type) << " " << i;
    }
  }
}

TEST(EncodeBits, rounds_once_from_every_float_type) {
  const std::uint64_t seed = 71;
  for (const DataType from : {float32, float64, float16}) {
    for (const DataType type : bit_types) {
      const Array in = inputs(from, seed, from == float16 ? 1000 : type == bfloat16 ? 100000 : 20000);
      const Array got = converted(in, bits_type(type), [&](const Expr& e) { return encode_bits(e, type); });
      for (std::int64_t i = 0; i < in.element_count(); ++i)
        ASSERT_EQ(got.get_bits(i), encode_narrow(in.get_float(i), narrow_format(type)))
            << to_string(from) << " to " << to_string(type) << " of " << in.get_float(i) << ", seed " << seed;
    }
  }
}

TEST(EncodeBits, rounds_once_from_every_integer_type) {
  const std::uint64_t seed = 72;
  Random random(seed);
  for (const DataType from : {boolean, int8, uint8, int16, uint16, int32, uint32, int64, uint64}) {
    std::vector<std::int64_t> values = {0, 1, -1, INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 1000; ++i)
      values.push_back(static_cast<std::int64_t>(random.next()) >> random.integer(0, 63));
    for (int shift = 8; shift < 63; ++shift)  // next to ties, where rounding twice shows
      for (const std::int64_t off : {-1, 0, 1}) values.push_back((std::int64_t{257} << (shift - 8)) + off);
    const Array in = Array::zeros({static_cast<std::int64_t>(values.size())}, from);
    for (std::size_t i = 0; i < values.size(); ++i) in.set_int(static_cast<std::int64_t>(i), values[i]);
    for (const DataType type : bit_types) {
      const Array got = converted(in, bits_type(type), [&](const Expr& e) { return encode_bits(e, type); });
      for (std::int64_t i = 0; i < in.element_count(); ++i) {
        // long double holds every 64-bit integer on x86_64 and aarch64; odd rounding to double keeps ties
        // apart.
        const long double exact = from == uint64 ? static_cast<long double>(in.get_bits(i))
                                                 : static_cast<long double>(in.get_int(i));
        double wide = static_cast<double>(exact);
        if (static_cast<long double>(wide) != exact) {
          if (std::fabs(static_cast<long double>(wide)) > std::fabs(exact)) wide = std::nextafter(wide, 0.0);
          wide = std::bit_cast<double>(std::bit_cast<std::uint64_t>(wide) | 1);
        }
        ASSERT_EQ(got.get_bits(i), encode_narrow(wide, narrow_format(type)))
            << to_string(from) << " " << in.get_int(i) << " to " << to_string(type) << ", seed " << seed;
      }
    }
  }
}

/// The program `out[i] = value(in[i])` gives the same bits before and after legalise_types.
template <class Value>
void expect_same_bits(const Array& in, DataType to, const Value& value) {
  FunctionBuilder f("same");
  const Buffer from = f.parameter("in", std::vector<std::int64_t>{in.element_count()}, in.type());
  const Buffer out = f.parameter("out", std::vector<std::int64_t>{in.element_count()}, to);
  f.loop("i", make_int(0), make_int(in.element_count()),
         [&](const Var& i) { f.store(out, {i}, value(make_load(from, {i}))); });
  const Function before = f.build(), after = legalise_types(before, target::find("generic-x86_64"));
  const std::vector<interp::Argument> a = {in, Array::zeros({in.element_count()}, to)};
  const std::vector<interp::Argument> b = copies(a);
  interp::run(before, a);
  interp::run(after, b);
  EXPECT_EQ(difference(a, b, 0), "") << to_string(in.type()) << " to " << to_string(to);
}

Array every_pattern(DataType type) {
  const std::int64_t count = std::int64_t{1} << type.bits;
  const Array all = Array::zeros({count}, type);
  for (std::int64_t i = 0; i < count; ++i) all.set_bits(i, static_cast<std::uint64_t>(i));
  return all;
}

TEST(LegaliseTypes, casts_every_pattern_of_8_bits_and_less) {
  for (const DataType from : {float8_e4m3, float8_e5m2, int4, uint4, int8})
    for (const DataType to :
         {boolean, int4, uint4, int8, uint16, int64, float16, float64, bfloat16, float8_e4m3, float8_e5m2})
      expect_same_bits(every_pattern(from), to, [&](const Expr& e) { return make_cast(to, e); });
}

TEST(LegaliseTypes, casts_every_pattern_of_16_bits) {
  for (const DataType from : {bfloat16, float16})
    for (const DataType to : {from == float16 ? bfloat16 : float16, float8_e4m3, int4})
      expect_same_bits(every_pattern(from), to, [&](const Expr& e) { return make_cast(to, e); });
}

TEST(LegaliseTypes, casts_wide_types_to_narrow_ones) {
  for (const DataType from : {float32, float64})
    for (const DataType to : {bfloat16, float16, float8_e4m3, float8_e5m2, int4, uint4})
      expect_same_bits(inputs(from, 73, 1000), to, [&](const Expr& e) { return make_cast(to, e); });
}

TEST(LegaliseTypes, computes_on_every_pattern_and_rounds_each_operation) {
  for (const DataType type : {bfloat16, float16}) {
    const Array all = every_pattern(type);
    expect_same_bits(all, type, [&](const Expr& e) { return e * e + make_float(0.3, type); });
    expect_same_bits(all, type, [&](const Expr& e) { return make_float(3, type) / e; });
    expect_same_bits(all, boolean, [&](const Expr& e) { return -e < make_float(1, type); });
    expect_same_bits(all, type, [&](const Expr& e) { return max(e, min(make_float(-0.0, type), -e)); });
  }
}

}  // namespace

}  // namespace ardea::lower
