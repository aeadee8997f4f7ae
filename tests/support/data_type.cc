#include "ardea/support/data_type.h"

#include <gtest/gtest.h>

#include <set>

namespace ardea {
namespace {

TEST(DataType, is_read_back_from_its_name_with_any_number_of_lanes) {
  std::set<std::string> names;
  for (const DataType type : element_types) {
    for (const int lanes : {1, 2, 3, 16, 4096}) {
      const DataType vector = type.with_lanes(lanes);
      EXPECT_EQ(parse_data_type(to_string(vector)), vector) << to_string(vector);
      names.insert(to_string(vector));
    }
  }
  EXPECT_EQ(names.size(), std::size(element_types) * 5);
  EXPECT_EQ(parse_data_type("handle"), handle_type);
  EXPECT_EQ(parse_data_type("void"), no_type);
}

TEST(DataType, has_the_names_of_the_text_form) {
  EXPECT_EQ(to_string(boolean), "bool");
  EXPECT_EQ(to_string(uint4), "uint4");
  EXPECT_EQ(to_string(float32.with_lanes(4)), "float32x4");
  EXPECT_EQ(to_string(bfloat16), "bfloat16");
  EXPECT_EQ(to_string(float8_e5m2), "float8_e5m2");
}

TEST(DataType, is_not_read_from_other_names) {
  for (const char* name :
       {"", "int", "int7", "int3", "float8", "float32x", "float32x0", "float32x1", "float32x-2",
        "float32x4x4", "float32x4097", "float32x4 ", "Float32", "int8x", "bfloat32", "boolx", "handlex2"})
    EXPECT_FALSE(parse_data_type(name).has_value()) << name;
}

TEST(DataType, counts_bytes_of_packed_and_byte_wide_types) {
  EXPECT_EQ(int4.bytes(1), 1);
  EXPECT_EQ(int4.bytes(7), 4);
  EXPECT_EQ(int4.with_lanes(8).bytes(3), 12);
  EXPECT_EQ(boolean.bytes(5), 5);
  EXPECT_EQ(boolean.with_lanes(4).bytes(2), 8);
  EXPECT_EQ(float16.bytes(3), 6);
  EXPECT_EQ(float64.bytes(0), 0);
  EXPECT_EQ(int64.bytes(std::int64_t{1} << 40), std::int64_t{1} << 43);
}

TEST(DataType, knows_its_kind) {
  for (const DataType type : element_types)
    EXPECT_EQ(type.is_bool() + type.is_int() + type.is_uint() + type.is_float(), 1) << to_string(type);
  EXPECT_TRUE(int4.is_storage_only() && uint4.is_storage_only() && float8_e4m3.is_storage_only());
  EXPECT_FALSE(int8.is_storage_only() || bfloat16.is_storage_only());
  EXPECT_TRUE(float32.with_lanes(2).is_vector());
  EXPECT_EQ(float32.with_lanes(2).element(), float32);
}

}  // namespace
}  // namespace ardea
