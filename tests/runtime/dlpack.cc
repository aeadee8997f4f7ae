#include "ardea/runtime/dlpack.h"

#include <gtest/gtest.h>

#include "expect_error.h"

namespace ardea::runtime {
namespace {

/// A tensor of another framework that counts how often it is deleted.
struct Foreign {
  std::vector<float> memory{0, 1, 2, 3, 4, 5};
  std::vector<std::int64_t> shape{2, 2}, strides{3, 1};
  DLManagedTensor managed{};
  int deleted = 0;

  Foreign() {
    managed.dl_tensor = {memory.data(), {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape.data(), strides.data(), 4};
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensor* self) { ++static_cast<Foreign*>(self->manager_ctx)->deleted; };
  }
};

TEST(DLPack, keeps_strides_and_offset_and_deletes_once_with_the_last_handle) {
  Foreign foreign;
  {
    Array first = from_dlpack(&foreign.managed);
    const Array second = first;
    EXPECT_EQ(first.shape(), (std::vector<std::int64_t>{2, 2}));
    EXPECT_EQ(first.strides(), (std::vector<std::int64_t>{3, 1}));
    EXPECT_EQ(first.dl_tensor()->byte_offset, 4u);
    for (const auto& [index, value] : {std::pair{0, 1}, {1, 2}, {2, 4}, {3, 5}})
      EXPECT_EQ(first.get_float(index), value);
    first = {};
    EXPECT_EQ(foreign.deleted, 0);
    second.set_float(0, 9);
    EXPECT_EQ(foreign.memory[1], 9) << "the elements are shared, not copied";
  }
  EXPECT_EQ(foreign.deleted, 1);
}

TEST(DLPack, takes_a_compact_tensor_without_strides) {
  Foreign foreign;
  foreign.managed.dl_tensor.strides = nullptr;
  const Array array = from_dlpack(&foreign.managed);
  EXPECT_TRUE(array.is_contiguous());
  EXPECT_EQ(array.get_float(3), 4);
}

TEST(DLPack, deletes_once_what_it_refuses) {
  Foreign on_gpu;
  on_gpu.managed.dl_tensor.device = {kDLCUDA, 0};
  expect_error([&] { from_dlpack(&on_gpu.managed); },
               "from_dlpack: the tensor is on DLPack device type 2; copy it to the CPU first");
  EXPECT_EQ(on_gpu.deleted, 1);

  Foreign complex;
  complex.managed.dl_tensor.dtype = {kDLComplex, 64, 1};
  expect_error([&] { from_dlpack(&complex.managed); },
               "from_dlpack: the element type with DLPack code 5, 64 bits and 1 lanes is not one that Ardea "
               "has; convert the "
               "tensor first");
  EXPECT_EQ(complex.deleted, 1);

  Foreign negative;
  negative.shape[0] = -1;
  EXPECT_THROW(from_dlpack(&negative.managed), Error);
  EXPECT_EQ(negative.deleted, 1);
  expect_error([] { from_dlpack(nullptr); }, "from_dlpack: the tensor is null");
}

TEST(DLPack, takes_a_tensor_without_a_deleter) {
  Foreign foreign;
  foreign.managed.deleter = nullptr;
  EXPECT_EQ(from_dlpack(&foreign.managed).get_float(0), 1);
}

TEST(DLPack, exported_elements_live_until_the_deleter_is_called) {
  auto owner = std::make_shared<std::vector<double>>(6, 1.5);
  const std::weak_ptr<std::vector<double>> watch = owner;
  DLManagedTensor* exported = to_dlpack(Array::view(owner->data(), {2, 3}, float64, owner));
  owner.reset();
  ASSERT_FALSE(watch.expired());
  const DLTensor& tensor = exported->dl_tensor;
  EXPECT_EQ(tensor.ndim, 2);
  EXPECT_EQ(tensor.shape[1], 3);
  ASSERT_NE(tensor.strides, nullptr);
  EXPECT_EQ(tensor.strides[0], 3);
  EXPECT_EQ(static_cast<double*>(tensor.data)[5], 1.5);
  exported->deleter(exported);
  EXPECT_TRUE(watch.expired());
  expect_error([] { to_dlpack(Array()); }, "to_dlpack: the array is null");
}

TEST(DLPack, every_element_type_goes_out_and_comes_back) {
  for (const DataType type : element_types) {
    Array array = Array::zeros({3}, type);
    array.set_int(1, 1);
    const Array back = from_dlpack(to_dlpack(array));
    EXPECT_EQ(back.type(), type);
    EXPECT_EQ(back.data(), array.data());
    EXPECT_EQ(back.get_int(1), 1);
  }
}

TEST(DLPack, uses_the_numbers_of_the_standard) {
  const auto same = [](DLDataType a, std::uint8_t code, std::uint8_t bits) {
    return a.code == code && a.bits == bits && a.lanes == 1;
  };
  EXPECT_TRUE(same(to_dl_type(boolean), 6, 8));
  EXPECT_TRUE(same(to_dl_type(float8_e4m3), 10, 8));
  EXPECT_TRUE(same(to_dl_type(float8_e5m2), 12, 8));
  EXPECT_TRUE(same(to_dl_type(bfloat16), 4, 16));
  EXPECT_TRUE(same(to_dl_type(uint4), 1, 4));
  EXPECT_THROW(from_dl_type({kDLInt, 8, 4}), Error) << "vectors are not elements";
}

}  // namespace
}  // namespace ardea::runtime
