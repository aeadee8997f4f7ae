#include "ardea/runtime/element.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "ardea/runtime/array.h"
#include "ardea/support/narrow_float.h"

namespace ardea::runtime {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double stored_float(double value, DataType type) {
  std::uint64_t memory = 0;
  store_float(&memory, 0, type, value);
  return load_float(&memory, 0, type);
}

std::int64_t stored_int(std::int64_t value, DataType type) {
  std::uint64_t memory = 0;
  store_int(&memory, 0, type, value);
  return load_int(&memory, 0, type);
}

TEST(Element, comes_back_for_every_pattern_of_the_small_types) {
  for (const DataType type : element_types) {
    if (type.bits > 16) continue;
    const std::uint32_t patterns = type.is_bool() ? 2 : 1u << type.bits;
    std::uint64_t memory = 0;
    for (std::uint32_t bits = 0; bits < patterns; ++bits) {
      store_bits(&memory, 0, type, bits);
      ASSERT_EQ(load_bits(&memory, 0, type), bits);
      const double value = load_float(&memory, 0, type);
      const std::int64_t integer = load_int(&memory, 0, type);
      memory = ~memory;
      store_float(&memory, 0, type, value);
      if (std::isnan(value))
        ASSERT_TRUE(std::isnan(load_float(&memory, 0, type)));
      else
        ASSERT_EQ(load_bits(&memory, 0, type), bits) << to_string(type);
      if (type.is_float()) continue;
      ASSERT_EQ(static_cast<double>(integer), value) << to_string(type);
      memory = ~memory;
      store_int(&memory, 0, type, integer);
      ASSERT_EQ(load_bits(&memory, 0, type), bits) << to_string(type);
    }
  }
}

TEST(Element, packs_two_nibbles_a_byte_the_first_in_the_low_half) {
  std::uint8_t memory[3] = {0xff, 0xff, 0xff};
  for (int i = 0; i < 5; ++i) store_int(memory, i, uint4, i + 1);
  EXPECT_EQ(memory[0], 0x21);
  EXPECT_EQ(memory[1], 0x43);
  EXPECT_EQ(memory[2], 0xf5) << "the other half of the byte is not touched";
  store_int(memory, 1, int4, -8);
  EXPECT_EQ(memory[0], 0x81);
  EXPECT_EQ(load_int(memory, 1, int4), -8);
  EXPECT_EQ(load_int(memory, 1, uint4), 8);
}

TEST(Element, wraps_integers_to_the_width) {
  EXPECT_EQ(stored_int(130, int8), -126);
  EXPECT_EQ(stored_int(-1, uint16), 65535);
  EXPECT_EQ(stored_int(9, int4), -7);
  EXPECT_EQ(stored_int(std::int64_t{1} << 32 | 5, int32), 5);
  EXPECT_EQ(stored_int(-1, uint64), -1);
  EXPECT_EQ(stored_int(256, boolean), 1);
}

TEST(Element, saturates_floats_stored_as_integers) {
  for (const DataType type : {int4, int8, int16, int32, int64}) {
    const std::int64_t highest = INT64_MAX >> (64 - type.bits);
    std::uint64_t memory = 0;
    const auto stored = [&](double value) {
      return store_float(&memory, 0, type, value), load_int(&memory, 0, type);
    };
    EXPECT_EQ(stored(1e300), highest) << to_string(type);
    EXPECT_EQ(stored(-infinity), -highest - 1) << to_string(type);
    EXPECT_EQ(stored(std::ldexp(1.0, type.bits - 1)), highest) << to_string(type);
    EXPECT_EQ(stored(nan), 0) << to_string(type);
    EXPECT_EQ(stored(-3.9), -3) << to_string(type);
  }
  EXPECT_EQ(stored_float(-3.0, uint8), 0);
  EXPECT_EQ(stored_float(256.0, uint8), 255);
  EXPECT_EQ(stored_float(nan, uint32), 0);
  EXPECT_EQ(stored_float(1e30, uint64), 0x1p64);
  EXPECT_EQ(stored_float(nan, boolean), 1) << "NaN is not zero";
  EXPECT_EQ(stored_float(0.25, boolean), 1);
  EXPECT_EQ(stored_float(-0.0, boolean), 0);
}

TEST(Element, reads_floats_as_integers_with_saturation) {
  std::uint64_t memory = 0;
  const auto read = [&](double value) {
    return store_float(&memory, 0, float32, value), load_int(&memory, 0, float32);
  };
  EXPECT_EQ(read(-2.75), -2);
  EXPECT_EQ(read(1e30), INT64_MAX);
  EXPECT_EQ(read(-1e30), INT64_MIN);
  EXPECT_EQ(read(nan), 0);
}

TEST(Element, rounds_integers_stored_as_floats_once) {
  // Just above the tie between two neighbours, by a bit that a double does not have room for.
  const std::int64_t above_bfloat16_tie = (std::int64_t{1} << 60) + (std::int64_t{1} << 52) + 1;
  std::uint64_t memory = 0;
  store_int(&memory, 0, bfloat16, above_bfloat16_tie);
  EXPECT_EQ(load_float(&memory, 0, bfloat16), 0x1p60 + 0x1p53);
  store_int(&memory, 0, bfloat16, -above_bfloat16_tie);
  EXPECT_EQ(load_float(&memory, 0, bfloat16), -0x1p60 - 0x1p53);
  store_int(&memory, 0, bfloat16, above_bfloat16_tie - 1);
  EXPECT_EQ(load_float(&memory, 0, bfloat16), 0x1p60) << "the tie itself goes to even";
  const std::int64_t above_float32_tie = (std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1;
  store_int(&memory, 0, float32, above_float32_tie);
  EXPECT_EQ(load_float(&memory, 0, float32), 0x1p60 + 0x1p37);
  store_int(&memory, 0, float16, INT64_MIN);
  EXPECT_EQ(load_float(&memory, 0, float16), -infinity);
}

TEST(Element, wide_floats_keep_every_bit) {
  for (const double value : {0.1, -0.0, infinity, 5e-324, 1.7e308}) {
    std::uint64_t memory = 0;
    store_float(&memory, 0, float64, value);
    EXPECT_EQ(memory, std::bit_cast<std::uint64_t>(value));
  }
  EXPECT_EQ(stored_float(0.1, float32), static_cast<double>(0.1f));
}

}  // namespace
}  // namespace ardea::runtime
