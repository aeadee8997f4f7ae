#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "ardea/runtime/cuda/driver.h"
#include "ardea/support/data_type.h"

/// What the unit that copies boxes is told of an array: a kernel gets it as an argument behind its own.

namespace ardea::runtime::cuda {

/// How windows go through images, of one to three dimensions: their corners lie in steps from `lower` on,
/// before the image's extent + `upper`.
struct TensorWindows {
  std::vector<std::int64_t> lower, upper, steps;
};

struct TensorBox {
  std::size_t argument = 0;  ///< the kernel's, whose memory the array is
  DataType type = float32;
  std::vector<std::int64_t> extents = {1, 1, 1};  ///< of the array, innermost last
  std::array<std::int64_t, 2> box = {1, 1};       ///< rows and columns; or windows and channels
  bool is_swizzled = false;
  std::optional<TensorWindows> windows = {};  ///< else rows follow each other
};

/// As the driver encodes it (CUtensorMap).
struct alignas(64) EncodedBox {
  std::array<std::uint64_t, 16> words{};
};

/// Error where the driver refuses it: the array must begin on a multiple of 16 bytes.
EncodedBox encoded(const TensorBox& box, DevicePointer array, const std::string& kernel);

/// What the driver is given, in its order: innermost first, and cuda.h's numbers.
struct BoxNumbers {
  static constexpr std::size_t most_dimensions = 5;

  int type = 0;
  unsigned rank = 0;
  std::array<std::uint64_t, most_dimensions> extents{};
  std::array<std::uint64_t, most_dimensions - 1> strides{};  ///< bytes, of all dimensions but the first
  std::array<std::uint32_t, most_dimensions> sizes{};  ///< the box's; of windows channels and their number
  std::array<std::uint32_t, most_dimensions> steps{};
  int swizzle = 0, promotion = 0;
  bool has_windows = false;
  std::array<int, most_dimensions - 2> lower{}, upper{};
};
BoxNumbers numbers_of(const TensorBox& box);

}  // namespace ardea::runtime::cuda
