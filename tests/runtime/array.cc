#include "ardea/runtime/array.h"

#include <gtest/gtest.h>

#include "expect_error.h"

namespace ardea::runtime {
namespace {

TEST(Array, has_aligned_compact_memory_of_its_own) {
  for (const DataType type : element_types) {
    const Array array = Array::zeros({3, 1, 5}, type);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % Array::alignment, 0u);
    EXPECT_EQ(array.element_count(), 15);
    EXPECT_EQ(array.byte_size(), type.bytes(15));
    EXPECT_EQ(array.strides(), (std::vector<std::int64_t>{5, 5, 1}));
    EXPECT_TRUE(array.is_contiguous());
    EXPECT_EQ(array.dl_tensor()->strides, nullptr);
    for (std::int64_t i = 0; i < 15; ++i) EXPECT_EQ(array.get_float(i), 0) << to_string(type);
  }
}

TEST(Array, holds_one_element_without_extents_and_none_with_a_zero_extent) {
  const Array scalar = Array::zeros({}, int32);
  EXPECT_EQ(scalar.element_count(), 1);
  scalar.set_int(0, 7);
  EXPECT_EQ(scalar.values<std::int32_t>()[0], 7);
  const Array none = Array::empty({4, 0, 3}, float32);
  EXPECT_EQ(none.element_count(), 0);
  EXPECT_EQ(none.byte_size(), 0);
  EXPECT_EQ(none.copy().element_count(), 0);
}

TEST(Array, shares_elements_between_handles_and_not_with_a_copy) {
  const Array first = Array::zeros({3}, float32);
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): a second handle is what is tested
  const Array second = first;
  const Array copy = first.copy();
  second.set_float(1, 2.5);
  EXPECT_EQ(first.get_float(1), 2.5);
  EXPECT_EQ(copy.get_float(1), 0);
  EXPECT_TRUE(first == second);
  EXPECT_FALSE(first == copy);
}

TEST(Array, view_keeps_its_owner_alive_and_no_longer) {
  auto owner = std::make_shared<std::vector<std::int16_t>>(std::vector<std::int16_t>{1, 2, 3});
  const std::weak_ptr<std::vector<std::int16_t>> watch = owner;
  Array view = Array::view(owner->data(), {3}, int16, owner);
  owner.reset();
  EXPECT_FALSE(watch.expired());
  EXPECT_EQ(view.get_int(2), 3);
  view = {};
  EXPECT_TRUE(watch.expired());
}

TEST(Array, reads_strided_memory_in_row_major_order) {
  std::vector<float> memory{0, 1, 2, 3, 4, 5};
  const Array transposed = Array::strided_view(memory.data(), {3, 2}, {1, 3}, float32, 0, nullptr);
  EXPECT_FALSE(transposed.is_contiguous());
  EXPECT_EQ(transposed.dl_tensor()->strides[1], 3);
  const Array copy = transposed.copy();
  EXPECT_TRUE(copy.is_contiguous());
  EXPECT_EQ(std::vector<float>(copy.values<float>().begin(), copy.values<float>().end()),
            (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(transposed.description(), "float32[3, 2] with strides [1, 3]");
  const Array reversed = Array::strided_view(memory.data(), {6}, {-1}, float32, 20, nullptr);
  EXPECT_EQ(reversed.get_float(0), 5);
  EXPECT_EQ(reversed.get_float(5), 0);
}

TEST(Array, has_strides_of_its_own) {
  const Array rows = Array::zeros({2, 3}, {5, 1}, float32);
  EXPECT_EQ(rows.strides(), (std::vector<std::int64_t>{5, 1}));
  for (std::int64_t i = 0; i < 6; ++i) rows.set_float(i, static_cast<double>(i) + 1);
  EXPECT_EQ(static_cast<float*>(rows.data())[5], 4);
  const Array copy = rows.copy_with_strides();
  EXPECT_EQ(copy.strides(), rows.strides());
  EXPECT_NE(copy.data(), rows.data());
  for (std::int64_t i = 0; i < 6; ++i) EXPECT_EQ(copy.get_float(i), rows.get_float(i));
  EXPECT_EQ(Array::zeros({0, 3}, {9, -1}, int8).element_count(), 0);
  EXPECT_EQ(Array::zeros({1, 3}, {-9, 2}, int8).get_int(2), 0);
  expect_error([] { Array::zeros({2}, {-1}, int8); },
               "Array::zeros([2], int8): stride 1 is -1, strides of memory of its own are 0 or more");
  expect_error([] { Array::zeros({3}, {std::int64_t{1} << 62}, int8); },
               "Array::zeros([3], int8): the strides reach further than 64-bit sizes; use smaller ones");
  expect_error([] { Array::zeros({2, 2}, {2}, int8); },
               "Array::zeros([2, 2], int8): there are 1 strides for 2 extents; give one for each");
}

TEST(Array, is_contiguous_whatever_the_stride_of_a_unit_extent) {
  float memory[6] = {};
  EXPECT_TRUE(Array::strided_view(memory, {1, 6}, {99, 1}, float32, 0, nullptr).is_contiguous());
  EXPECT_TRUE(Array::strided_view(memory, {2, 1, 3}, {3, -5, 1}, float32, 0, nullptr).is_contiguous());
  EXPECT_TRUE(Array::strided_view(memory, {0, 3}, {77, 5}, float32, 0, nullptr).is_contiguous());
  EXPECT_FALSE(Array::strided_view(memory, {2, 2}, {3, 1}, float32, 0, nullptr).is_contiguous());
}

TEST(Array, strides_of_nibbles_count_elements) {
  std::uint8_t memory[2] = {0x21, 0x43};
  const Array transposed = Array::strided_view(memory, {2, 2}, {1, 2}, uint4, 0, nullptr);
  for (const auto& [index, value] : {std::pair{0, 1}, {1, 3}, {2, 2}, {3, 4}})
    EXPECT_EQ(transposed.get_int(index), value);
}

TEST(Array, copy_has_no_chance_bits_in_the_last_byte) {
  std::uint8_t memory[2] = {0x21, 0xf3};
  const Array odd = Array::strided_view(memory, {3, 1}, {1, 1}, uint4, 0, nullptr);
  EXPECT_EQ(odd.copy().get_int(2), 3);
  std::uint8_t spread[3] = {0x01, 0x02, 0x03};
  const Array strided = Array::strided_view(spread, {3}, {2}, uint4, 0, nullptr).copy();
  EXPECT_EQ(static_cast<std::uint8_t*>(strided.data())[0], 0x21);
  EXPECT_EQ(static_cast<std::uint8_t*>(strided.data())[1], 0x03);
}

TEST(Array, refuses_sizes_that_overflow) {
  const std::int64_t big = std::int64_t{1} << 40;
  expect_error([&] { Array::empty({big, big}, int8); },
               "Array::empty([1099511627776, 1099511627776], int8): the product of the extents overflows "
               "64-bit sizes; use "
               "smaller extents");
  // The elements can be counted, their bytes cannot.
  expect_error([&] { Array::empty({std::int64_t{1} << 61}, float64); },
               "Array::empty([2305843009213693952], float64): the product of the extents overflows 64-bit "
               "sizes; use smaller "
               "extents");
  EXPECT_THROW(Array::empty({0, big, big}, int8), Error) << "a zero must not hide it";
  EXPECT_THROW(Array::empty({big, big, 0}, int8), Error);
  EXPECT_THROW(Array::empty({INT64_MAX}, int4), Error);
}

TEST(Array, refuses_memory_that_there_is_not) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizers' allocators stop the program instead";
#endif
  expect_error([] { Array::empty({std::int64_t{1} << 50}, int8); },
               "Array::empty([1125899906842624], int8): 1125899906842624 bytes of memory are not available; "
               "use smaller extents");
}

TEST(Array, refuses_what_is_no_array) {
  expect_error([] { Array::empty({2, -3}, float32); },
               "Array::empty([2, -3], float32): extent 2 is -3, extents are 0 or more");
  expect_error(
      [] { Array::empty({2}, handle_type); },
      "Array::empty([2], handle): handle is not the type of an element; use a scalar type such as float32");
  EXPECT_THROW(Array::empty({2}, float32.with_lanes(4)), Error);
  expect_error([] { Array::view(nullptr, {2}, int8); },
               "Array::strided_view([2], int8): the data pointer is null");
  float memory[2];
  expect_error([&] { Array::strided_view(memory, {2}, {}, float32, 0, nullptr); },
               "Array::strided_view([2], float32): there are 0 strides for 1 extents; give one for each");
}

TEST(Array, refuses_an_index_outside_and_values_of_another_type) {
  const Array array = Array::zeros({2, 3}, float32);
  expect_error([&] { array.get_int(6); }, "Array::get_int(6): float32[2, 3] has 6 elements");
  expect_error([&] { array.set_float(-1, 0); }, "Array::set_float(-1): float32[2, 3] has 6 elements");
  expect_error([&] { array.values<double>(); }, "Array::values<float64>: the array is float32[2, 3]");
  expect_error([&] { array.copy_from(Array::zeros({3, 2}, float32)); },
               "Array::copy_from: the source is float32[3, 2], this array is float32[2, 3]");
  EXPECT_EQ(Array().description(), "a null array");
}

}  // namespace
}  // namespace ardea::runtime
