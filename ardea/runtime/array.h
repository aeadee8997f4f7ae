#pragma once

#include <dlpack/dlpack.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "ardea/support/data_type.h"
#include "ardea/support/error.h"

namespace ardea::runtime {

/// The element type that a C++ type stands for.
template <class T>
constexpr DataType data_type_of() {
  static_assert(std::is_arithmetic_v<T>, "arrays hold numbers and bool");
  constexpr auto bits = static_cast<std::uint8_t>(sizeof(T) * 8);
  if constexpr (std::is_same_v<T, bool>) return boolean;
  if constexpr (std::is_floating_point_v<T>) return {TypeCode::floating, bits};
  return {std::is_signed_v<T> ? TypeCode::integer : TypeCode::unsigned_integer, bits};
}

/// Elements of `shape`, or an Error that begins with `call` where an extent is negative or the bytes of such
/// an array of `type` do not fit in 63 bits.
std::int64_t checked_element_count(const std::string& call, std::span<const std::int64_t> shape,
                                   DataType type);

/// A reference-counted n-dimensional array in the memory of this machine, or of a device in it, which then
/// only the device's programs touch (cuda/device.h copies). An Array is a handle: copying it shares the
/// elements, and const means the handle, not the elements. What Ardea makes is compact and row-major; what
/// comes in by DLPack keeps its strides. A default-constructed Array is null and only tells that it is.
class Array {
 public:
  /// What DLPack promises about `data`, and more than any vector unit needs.
  static constexpr std::int64_t alignment = 256;

  Array() = default;

  /// Uninitialised and zeroed memory of its own. Requires a scalar element type and extents of 0 or more.
  static Array empty(std::vector<std::int64_t> shape, DataType type);
  static Array zeros(std::vector<std::int64_t> shape, DataType type);
  /// The same with strides, in elements and not negative: gaps are zero as well.
  static Array zeros(std::vector<std::int64_t> shape, std::vector<std::int64_t> strides, DataType type);

  /// A compact array over memory of somebody else, who keeps it alive, or whom `owner` keeps alive.
  static Array view(void* data, std::vector<std::int64_t> shape, DataType type,
                    std::shared_ptr<void> owner = nullptr);

  /// Strides count elements. The first element is `byte_offset` bytes after `data`.
  static Array strided_view(void* data, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides,
                            DataType type, std::uint64_t byte_offset, std::shared_ptr<void> owner);

  /// As view, of memory that `device` has: no element is ever read or written here.
  static Array view_on(DLDevice device, void* data, std::vector<std::int64_t> shape, DataType type,
                       std::shared_ptr<void> owner);

  explicit operator bool() const { return state_ != nullptr; }
  friend bool operator==(const Array&,
                         const Array&) = default;  ///< the same elements in memory, not equal ones

  const std::vector<std::int64_t>& shape() const { return state_->shape; }
  const std::vector<std::int64_t>& strides() const { return state_->strides; }
  DataType type() const { return state_->type; }
  std::int64_t rank() const { return static_cast<std::int64_t>(state_->shape.size()); }
  std::int64_t element_count() const { return state_->element_count; }
  std::int64_t byte_size() const { return state_->type.bytes(state_->element_count); }  ///< when compact
  bool is_contiguous() const { return state_->contiguous; }
  bool is_on_host() const { return state_->tensor.device.device_type == kDLCPU; }

  /// The first element.
  void* data() const { return static_cast<char*>(state_->tensor.data) + state_->tensor.byte_offset; }

  /// The elements of a contiguous array whose type is T's.
  template <class T>
  std::span<T> values() const {
    require(type() == data_type_of<T>() && is_contiguous(), "Array::values<{}>: the array is {}",
            to_string(data_type_of<T>()), description());
    require_on_host("values");
    return {static_cast<T*>(data()), static_cast<std::size_t>(element_count())};
  }

  /// By row-major index, whatever the strides; conversions as in element.h.
  std::int64_t get_int(std::int64_t index) const;
  double get_float(std::int64_t index) const;
  std::uint64_t get_bits(std::int64_t index) const;
  void set_int(std::int64_t index, std::int64_t value) const;
  void set_float(std::int64_t index, double value) const;
  void set_bits(std::int64_t index, std::uint64_t bits) const;

  /// A compact array of its own with the same elements.
  Array copy() const;
  /// The same with this array's strides, which must not be negative.
  Array copy_with_strides() const;

  /// Overwrites the elements with those of an array of the same shape and type.
  void copy_from(const Array& source) const;

  /// What generated code takes; lives as long as the array. Strides are null where the array is contiguous.
  DLTensor* dl_tensor() const { return &state_->tensor; }

  /// "float32[3, 4]", for messages; "… with strides [1, 3]" where it is not contiguous, "… on a device".
  std::string description() const;

 private:
  struct State {
    std::vector<std::int64_t> shape, strides;
    DataType type;
    std::int64_t element_count = 0;
    bool contiguous = true;
    std::shared_ptr<void> owner;
    DLTensor tensor{};
  };

  explicit Array(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::int64_t offset_of(std::int64_t index, const char* call) const;
  void require_on_host(const char* call) const;

  std::shared_ptr<State> state_;
};

}  // namespace ardea::runtime
