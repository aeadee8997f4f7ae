#include "ardea/support/narrow_float.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "ardea/support/error.h"
#include "ardea/support/random.h"

namespace ardea {
namespace {

constexpr DataType narrow_types[] = {float16, bfloat16, float8_e4m3, float8_e5m2};
constexpr double infinity = std::numeric_limits<double>::infinity();

std::uint32_t patterns(DataType type) { return 1u << type.bits; }
double decode(std::uint32_t bits, DataType type) { return decode_narrow(bits, narrow_format(type)); }
std::uint32_t encode(double value, DataType type) { return encode_narrow(value, narrow_format(type)); }

/// The finite values of a type with their bits, positive ones only, by the definition of decode alone.
std::map<double, std::uint32_t> positive_values(DataType type) {
  std::map<double, std::uint32_t> values;
  for (std::uint32_t bits = 0; bits < patterns(type) / 2; ++bits)
    if (std::isfinite(decode(bits, type))) values[decode(bits, type)] = bits;
  return values;
}

TEST(NarrowFloat, encode_undoes_decode_for_every_pattern) {
  for (const DataType type : narrow_types) {
    for (std::uint32_t bits = 0; bits < patterns(type); ++bits) {
      const double value = decode(bits, type);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(decode(encode(value, type), type)));
        EXPECT_EQ(encode(value, type) >> (type.bits - 1), bits >> (type.bits - 1)) << "the sign of a NaN";
      } else {
        ASSERT_EQ(encode(value, type), bits) << to_string(type) << " " << value;
      }
    }
  }
}

TEST(NarrowFloat, bfloat16_is_the_upper_half_of_a_float32) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float expected = std::bit_cast<float>(bits << 16);
    const double value = decode(bits, bfloat16);
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(value));
    else
      ASSERT_EQ(std::bit_cast<std::uint64_t>(value),
                std::bit_cast<std::uint64_t>(static_cast<double>(expected)))
          << bits;
  }
}

/// Independent of the code under test: adds half of the last place on the bits of the float32.
std::uint32_t bfloat16_by_bit_arithmetic(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

TEST(NarrowFloat, bfloat16_rounds_as_integer_arithmetic_on_float32_does) {
  const std::uint64_t seed = 11;
  Random random(seed);
  for (int i = 0; i < 200000; ++i) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(random.next()));
    if (std::isnan(value)) continue;
    ASSERT_EQ(encode(value, bfloat16), bfloat16_by_bit_arithmetic(value))
        << "seed " << seed << " value " << value;
  }
}

// GCC 12 has _Float16 in C++ on x86_64 only, and __fp16 on aarch64.
#if defined(__ARM_FP16_FORMAT_IEEE)
using CompilersHalf = __fp16;
#elif defined(__x86_64__) && defined(__FLT16_MANT_DIG__)
using CompilersHalf = _Float16;
#endif
#if defined(__ARM_FP16_FORMAT_IEEE) || (defined(__x86_64__) && defined(__FLT16_MANT_DIG__))
TEST(NarrowFloat, float16_agrees_with_the_compilers_own) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto expected = static_cast<double>(std::bit_cast<CompilersHalf>(static_cast<std::uint16_t>(bits)));
    if (std::isnan(expected)) continue;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(decode(bits, float16)), std::bit_cast<std::uint64_t>(expected))
        << bits;
  }
  const std::uint64_t seed = 12;
  Random random(seed);
  for (int i = 0; i < 200000; ++i) {
    const double mantissa = random.real() * 2 - 1;
    const double value = std::ldexp(mantissa, static_cast<int>(random.integer(-30, 18)));
    const auto expected = std::bit_cast<std::uint16_t>(static_cast<CompilersHalf>(value));
    ASSERT_EQ(encode(value, float16), expected) << "seed " << seed << " value " << value;
  }
}
#endif

TEST(NarrowFloat, float16_follows_the_fields_of_ieee_754) {
  for (std::uint32_t bits = 0; bits < 0x8000; ++bits) {
    const std::uint32_t exponent = bits >> 10, mantissa = bits & 0x3ff;
    if (exponent == 31) continue;
    const double expected = exponent == 0
                                ? mantissa * 0x1p-24
                                : (1024 + mantissa) * std::pow(2.0, static_cast<int>(exponent) - 25);
    ASSERT_EQ(decode(bits, float16), expected);
    ASSERT_EQ(decode(bits | 0x8000, float16), -expected);
  }
}

TEST(NarrowFloat, has_the_published_limits) {
  EXPECT_EQ(decode(0x7bff, float16), 65504);
  EXPECT_EQ(decode(0x0001, float16), 0x1p-24);
  EXPECT_EQ(decode(0x7c00, float16), infinity);
  EXPECT_EQ(decode(0x7e, float8_e4m3), 448);
  EXPECT_EQ(decode(0x01, float8_e4m3), 0x1p-9);
  EXPECT_EQ(decode(0x78, float8_e4m3), 256);
  EXPECT_TRUE(std::isnan(decode(0x7f, float8_e4m3)) && std::isnan(decode(0xff, float8_e4m3)));
  EXPECT_EQ(decode(0x7b, float8_e5m2), 57344);
  EXPECT_EQ(decode(0x01, float8_e5m2), 0x1p-16);
  EXPECT_EQ(decode(0xfc, float8_e5m2), -infinity);
}

TEST(NarrowFloat, rounds_to_the_nearest_and_ties_to_even_between_all_neighbours) {
  for (const DataType type : narrow_types) {
    const std::map<double, std::uint32_t> values = positive_values(type);
    for (auto low = values.begin(), high = std::next(low); high != values.end(); ++low, ++high) {
      const double middle = (low->first + high->first) / 2;  // exact: one more bit than the type has
      const std::uint32_t even = low->second % 2 == 0 ? low->second : high->second;
      ASSERT_EQ(encode(middle, type), even) << to_string(type) << " " << middle;
      ASSERT_EQ(encode(std::nextafter(middle, 0), type), low->second)
          << to_string(type) << " below " << middle;
      ASSERT_EQ(encode(std::nextafter(middle, infinity), type), high->second)
          << to_string(type) << " above " << middle;
      ASSERT_EQ(encode(-middle, type), even | 1u << (type.bits - 1)) << to_string(type) << " " << -middle;
    }
  }
}

TEST(NarrowFloat, overflows_half_a_place_above_the_largest) {
  for (const DataType type : narrow_types) {
    const auto [largest, bits] = *positive_values(type).rbegin();
    const double previous = std::prev(positive_values(type).end(), 2)->first;
    const double limit = largest + (largest - previous) / 2;
    EXPECT_EQ(encode(std::nextafter(limit, 0), type), bits) << to_string(type);
    const double beyond = round_to_type(std::nextafter(limit, infinity), type);
    if (type == float8_e4m3) {
      EXPECT_TRUE(std::isnan(beyond));
      EXPECT_TRUE(std::isnan(round_to_type(infinity, type)));
      // 464 is a tie between 448, whose last bit is 0, and the 480 that the format does not have.
      EXPECT_EQ(round_to_type(limit, type), 448);
    } else {
      EXPECT_EQ(beyond, infinity) << to_string(type);
      EXPECT_EQ(round_to_type(limit, type), infinity)
          << to_string(type) << ": the tie goes to the even neighbour";
      EXPECT_EQ(round_to_type(-infinity, type), -infinity) << to_string(type);
    }
  }
}

TEST(NarrowFloat, keeps_the_sign_of_zero_and_of_what_vanishes) {
  for (const DataType type : narrow_types) {
    EXPECT_EQ(encode(-0.0, type), 1u << (type.bits - 1));
    EXPECT_EQ(encode(-1e-300, type), 1u << (type.bits - 1));
    EXPECT_EQ(encode(1e-300, type), 0u);
  }
}

TEST(NarrowFloat, rounds_once_from_the_double) {
  // Through float32 first, this would become the tie 1 + 2^-11 and round down to 1.
  const double just_above_a_tie = 1 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(round_to_type(just_above_a_tie, float16), 1 + 0x1p-10);
}

TEST(NarrowFloat, rounds_to_the_wide_types_too) {
  EXPECT_EQ(round_to_type(0.1, float64), 0.1);
  EXPECT_EQ(round_to_type(0.1, float32), static_cast<double>(0.1f));
  EXPECT_THROW(narrow_format(float32), InternalError);
}

}  // namespace
}  // namespace ardea
