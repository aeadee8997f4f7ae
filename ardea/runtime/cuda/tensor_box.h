#pragma once

#include <array>
#include <cstdint>

#include "ardea/runtime/cuda/driver.h"
#include "ardea/support/data_type.h"

/// What the unit that copies boxes is told of an array: a kernel gets it as an argument behind its own.

namespace ardea::runtime::cuda {

struct TensorBox {
  std::size_t argument = 0;  ///< the kernel's, whose memory the array is
  DataType type = float32;
  std::array<std::int64_t, 3> extents = {1, 1, 1};  ///< of the array, innermost last
  std::array<std::int64_t, 2> box = {1, 1};         ///< rows and columns
  bool is_swizzled = false;
};

/// As the driver encodes it (CUtensorMap).
struct alignas(64) EncodedBox {
  std::array<std::uint64_t, 16> words{};
};

/// Error where the driver refuses it: the array must begin on a multiple of 16 bytes.
EncodedBox encoded(const TensorBox& box, DevicePointer array, const std::string& kernel);

/// What cuda.h numbers it by.
struct BoxNumbers {
  int type = 0, swizzle = 0, promotion = 0;
};
BoxNumbers numbers_of(const TensorBox& box);

}  // namespace ardea::runtime::cuda
