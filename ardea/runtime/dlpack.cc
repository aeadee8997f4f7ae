#include "ardea/runtime/dlpack.h"

#include <memory>
#include <utility>

namespace ardea::runtime {

namespace {

/// What a DLManagedTensor made here points to.
struct Exported {
  Array array;
  DLManagedTensor managed{};
};

Array array_over(const DLTensor& tensor, std::shared_ptr<void> owner) {
  require(tensor.device.device_type == kDLCPU,
          "from_dlpack: the tensor is on DLPack device type {}; copy it to the CPU first",
          static_cast<int>(tensor.device.device_type));
  require(tensor.ndim >= 0, "from_dlpack: the tensor has {} dimensions", tensor.ndim);
  require(tensor.ndim == 0 || tensor.shape != nullptr,
          "from_dlpack: the tensor has {} dimensions but no shape", tensor.ndim);
  const DataType type = from_dl_type(tensor.dtype);
  std::vector<std::int64_t> shape(tensor.shape, tensor.shape + tensor.ndim);
  if (tensor.strides == nullptr)
    return Array::view(static_cast<char*>(tensor.data) + tensor.byte_offset, std::move(shape), type,
                       std::move(owner));
  std::vector<std::int64_t> strides(tensor.strides, tensor.strides + tensor.ndim);
  return Array::strided_view(tensor.data, std::move(shape), std::move(strides), type, tensor.byte_offset,
                             std::move(owner));
}

}  // namespace

DLDataType to_dl_type(DataType type) {
  const auto make = [&](std::uint8_t code, std::uint8_t bits) { return DLDataType{code, bits, type.lanes}; };
  switch (type.code) {
    case TypeCode::boolean: return make(dl_bool, 8);
    case TypeCode::integer: return make(kDLInt, type.bits);
    case TypeCode::unsigned_integer: return make(kDLUInt, type.bits);
    case TypeCode::floating: return make(kDLFloat, type.bits);
    case TypeCode::bfloat: return make(kDLBfloat, type.bits);
    case TypeCode::float8_e4m3: return make(dl_float8_e4m3fn, 8);
    case TypeCode::float8_e5m2: return make(dl_float8_e5m2, 8);
    case TypeCode::handle: return make(kDLOpaqueHandle, type.bits);
    case TypeCode::none: break;
  }
  throw InternalError("to_dl_type: " + to_string(type) + " has no DLPack type");
}

DataType from_dl_type(DLDataType type) {
  for (const DataType candidate : element_types) {
    const DLDataType dl = to_dl_type(candidate);
    if (dl.code == type.code && dl.bits == type.bits && type.lanes == 1) return candidate;
  }
  fail(
      "from_dlpack: the element type with DLPack code {}, {} bits and {} lanes is not one that Ardea has; "
      "convert the tensor "
      "first",
      type.code, type.bits, type.lanes);
}

std::string type_in_words(std::int64_t word) {
  const DLDataType type{static_cast<std::uint8_t>(word >> 24), static_cast<std::uint8_t>(word >> 16 & 0xff),
                        static_cast<std::uint16_t>(word & 0xffff)};
  for (const DataType candidate : element_types) {
    const DLDataType dl = to_dl_type(candidate);
    if (dl.code == type.code && dl.bits == type.bits && type.lanes == 1) return to_string(candidate);
  }
  return fmt::format("a type that Ardea has not (DLPack code {}, {} bits, {} lanes)", type.code, type.bits,
                     type.lanes);
}

DLManagedTensor* to_dlpack(const Array& array) {
  require(static_cast<bool>(array), "to_dlpack: the array is null");
  auto exported = std::make_unique<Exported>();
  exported->array = array;
  exported->managed.dl_tensor = *array.dl_tensor();
  exported->managed.dl_tensor.strides = const_cast<std::int64_t*>(array.strides().data());
  exported->managed.manager_ctx = exported.get();
  exported->managed.deleter = [](DLManagedTensor* self) { delete static_cast<Exported*>(self->manager_ctx); };
  return &exported.release()->managed;
}

Array from_dlpack(DLManagedTensor* tensor) {
  require(tensor != nullptr, "from_dlpack: the tensor is null");
  std::shared_ptr<void> owner(tensor, [](void* memory) {
    auto* managed = static_cast<DLManagedTensor*>(memory);
    if (managed->deleter != nullptr) managed->deleter(managed);
  });
  return array_over(tensor->dl_tensor, std::move(owner));
}

Array borrow(const DLTensor& tensor) { return array_over(tensor, nullptr); }

}  // namespace ardea::runtime
