#include "ardea/runtime/array.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "ardea/runtime/abi.h"
#include "ardea/runtime/dlpack.h"
#include "ardea/runtime/element.h"

namespace ardea::runtime {

namespace {

std::string call_text(const char* name, std::span<const std::int64_t> shape, DataType type) {
  return fmt::format("{}([{}], {})", name, fmt::join(shape, ", "), to_string(type));
}

std::vector<std::int64_t> row_major_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= std::max<std::int64_t>(shape[i], 1);
  }
  return strides;
}

/// Strides matter only where there is a second element to step to.
bool is_row_major(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return true;
  std::int64_t expected = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

}  // namespace

std::int64_t checked_element_count(const std::string& call, std::span<const std::int64_t> shape,
                                   DataType type) {
  require(std::find(std::begin(element_types), std::end(element_types), type) != std::end(element_types),
          "{}: {} is not the type of an element; use a scalar type such as float32", call, to_string(type));
  // A zero extent empties the array but must not hide that the strides of the others overflow.
  std::int64_t count = 1, without_zeros = 1;
  bool overflow = false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    require(shape[i] >= 0, "{}: extent {} is {}, extents are 0 or more", call, i + 1, shape[i]);
    overflow |= __builtin_mul_overflow(without_zeros, std::max<std::int64_t>(shape[i], 1), &without_zeros);
    if (!overflow) count *= shape[i];
  }
  std::int64_t bits = 0;
  overflow = overflow ||
             __builtin_mul_overflow(without_zeros, std::int64_t{std::max<int>(type.bits, 8)}, &bits) ||
             bits > std::numeric_limits<std::int64_t>::max() - Array::alignment;
  require(!overflow, "{}: the product of the extents overflows 64-bit sizes; use smaller extents", call);
  return count;
}

Array Array::empty(std::vector<std::int64_t> shape, DataType type) {
  const std::string call = call_text("Array::empty", shape, type);
  const std::int64_t bytes = type.bytes(checked_element_count(call, shape, type));
  void* memory = ardea_allocate(bytes, alignment);
  require(memory != nullptr, "{}: {} bytes of memory are not available; use smaller extents", call, bytes);
  return view(memory, std::move(shape), type, std::shared_ptr<void>(memory, ardea_free));
}

Array Array::zeros(std::vector<std::int64_t> shape, DataType type) {
  Array array = empty(std::move(shape), type);
  std::memset(array.data(), 0, static_cast<std::size_t>(array.byte_size()));
  return array;
}

Array Array::zeros(std::vector<std::int64_t> shape, std::vector<std::int64_t> strides, DataType type) {
  const std::string call = call_text("Array::zeros", shape, type);
  const bool empty = checked_element_count(call, shape, type) == 0;
  require(strides.size() == shape.size(), "{}: there are {} strides for {} extents; give one for each", call,
          strides.size(), shape.size());
  std::int64_t span = empty ? 0 : 1;  // from the first element to the furthest
  for (std::size_t d = 0; !empty && d < shape.size(); ++d) {
    require(strides[d] >= 0 || shape[d] == 1,
            "{}: stride {} is {}, strides of memory of its own are 0 or more", call, d + 1, strides[d]);
    std::int64_t reach = 0;
    require(!__builtin_mul_overflow(shape[d] - 1, strides[d], &reach) &&
                !__builtin_add_overflow(span, reach, &span),
            "{}: the strides reach further than 64-bit sizes; use smaller ones", call);
  }
  const Array memory = zeros({span}, type);
  return strided_view(memory.data(), std::move(shape), std::move(strides), type, 0, memory.state_->owner);
}

Array Array::view(void* data, std::vector<std::int64_t> shape, DataType type, std::shared_ptr<void> owner) {
  checked_element_count(call_text("Array::view", shape, type), shape, type);
  std::vector<std::int64_t> strides = row_major_strides(shape);
  return strided_view(data, std::move(shape), std::move(strides), type, 0, std::move(owner));
}

Array Array::strided_view(void* data, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides,
                          DataType type, std::uint64_t byte_offset, std::shared_ptr<void> owner) {
  const std::string call = call_text("Array::strided_view", shape, type);
  require(strides.size() == shape.size(), "{}: there are {} strides for {} extents; give one for each", call,
          strides.size(), shape.size());
  auto state = std::make_shared<State>();
  state->element_count = checked_element_count(call, shape, type);
  require(data != nullptr || state->element_count == 0, "{}: the data pointer is null", call);
  state->contiguous = is_row_major(shape, strides);
  state->shape = std::move(shape);
  state->strides = std::move(strides);
  state->type = type;
  state->owner = std::move(owner);
  DLTensor& tensor = state->tensor;
  tensor.data = data;
  tensor.device = {kDLCPU, 0};
  tensor.ndim = static_cast<int>(state->shape.size());
  tensor.dtype = to_dl_type(type);
  tensor.shape = state->shape.data();
  tensor.strides = state->contiguous ? nullptr : state->strides.data();
  tensor.byte_offset = byte_offset;
  return Array(std::move(state));
}

Array Array::view_on(DLDevice device, void* data, std::vector<std::int64_t> shape, DataType type,
                     std::shared_ptr<void> owner) {
  Array array = view(data, std::move(shape), type, std::move(owner));
  array.state_->tensor.device = device;
  return array;
}

std::int64_t Array::offset_of(std::int64_t index, const char* call) const {
  if (!is_on_host()) require_on_host(call);
  // Not require: it would write the description for every element that is read.
  if (index < 0 || index >= element_count())
    fail("Array::{}({}): {} has {} elements", call, index, description(), element_count());
  if (is_contiguous()) return index;
  std::int64_t offset = 0;
  for (std::size_t i = shape().size(); i-- > 0;) {
    offset += index % shape()[i] * strides()[i];
    index /= shape()[i];
  }
  return offset;
}

std::int64_t Array::get_int(std::int64_t index) const {
  return load_int(data(), offset_of(index, "get_int"), type());
}

double Array::get_float(std::int64_t index) const {
  return load_float(data(), offset_of(index, "get_float"), type());
}

std::uint64_t Array::get_bits(std::int64_t index) const {
  return load_bits(data(), offset_of(index, "get_bits"), type());
}

void Array::set_int(std::int64_t index, std::int64_t value) const {
  store_int(data(), offset_of(index, "set_int"), type(), value);
}

void Array::set_float(std::int64_t index, double value) const {
  store_float(data(), offset_of(index, "set_float"), type(), value);
}

void Array::set_bits(std::int64_t index, std::uint64_t bits) const {
  store_bits(data(), offset_of(index, "set_bits"), type(), bits);
}

Array Array::copy() const {
  // Zeros, not empty: the unused half of the last byte of an odd number of int4 must not be chance.
  Array result = zeros(shape(), type());
  result.copy_from(*this);
  return result;
}

Array Array::copy_with_strides() const {
  Array result = zeros(shape(), strides(), type());
  result.copy_from(*this);
  return result;
}

void Array::copy_from(const Array& source) const {
  require(source.shape() == shape() && source.type() == type(),
          "Array::copy_from: the source is {}, this array is {}", source.description(), description());
  source.require_on_host("copy_from");
  require_on_host("copy_from");
  if (is_contiguous() && source.is_contiguous()) {
    std::memmove(data(), source.data(), static_cast<std::size_t>(byte_size()));
    return;
  }
  for (std::int64_t i = 0; i < element_count(); ++i) set_bits(i, source.get_bits(i));
}

void Array::require_on_host(const char* call) const {
  require(is_on_host(), "Array::{}: {}, whose elements only its programs reach; copy it to the host first",
          call, description());
}

std::string Array::description() const {
  if (!state_) return "a null array";
  std::string text = fmt::format("{}[{}]", to_string(type()), fmt::join(shape(), ", "));
  if (!is_contiguous()) text += fmt::format(" with strides [{}]", fmt::join(strides(), ", "));
  if (!is_on_host()) text += " on a device";
  return text;
}

}  // namespace ardea::runtime
