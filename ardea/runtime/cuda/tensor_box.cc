#include "ardea/runtime/cuda/tensor_box.h"

#include <bit>

#include "ardea/support/error.h"

namespace ardea::runtime::cuda {

namespace {

/// cuda.h's numbers: of elements that are only copied the width counts, of swizzles and of what the second
/// cache reads at once the bytes.
constexpr int swizzle_128_bytes = 3, promotion_256_bytes = 3;

int type_number(std::int64_t bytes) {
  switch (bytes) {
    case 1: return 0;
    case 2: return 1;
    case 4: return 2;
    default: return 4;
  }
}

}  // namespace

BoxNumbers numbers_of(const TensorBox& box) {
  return {.type = type_number(box.type.bytes()),
          .swizzle = box.is_swizzled ? swizzle_128_bytes : 0,
          .promotion = promotion_256_bytes};
}

EncodedBox encoded(const TensorBox& box, DevicePointer array, const std::string& kernel) {
  const auto encode = driver().encode_box;
  require(encode != nullptr,
          "{}: it copies boxes of arrays, which NVIDIA's driver here knows nothing of; install one for CUDA "
          "12 or "
          "later",
          kernel);
  const auto [outers, rows, columns] = box.extents;
  const auto row_bytes = static_cast<std::uint64_t>(box.type.bytes(columns));
  const std::array<std::uint64_t, 3> extents = {static_cast<std::uint64_t>(columns),
                                                static_cast<std::uint64_t>(rows),
                                                static_cast<std::uint64_t>(outers)};
  const std::array<std::uint64_t, 2> strides = {row_bytes, row_bytes * static_cast<std::uint64_t>(rows)};
  const std::array<std::uint32_t, 3> sizes = {static_cast<std::uint32_t>(box.box[1]),
                                              static_cast<std::uint32_t>(box.box[0]), 1},
                                     steps = {1, 1, 1};
  const BoxNumbers numbers = numbers_of(box);
  EncodedBox out;
  require_success(encode(&out, numbers.type, 3, std::bit_cast<void*>(array), extents.data(), strides.data(),
                         sizes.data(), steps.data(), 0, numbers.swizzle, numbers.promotion, 0),
                  fmt::format("{}: boxes of {} x {} elements of an array of {} x {} x {}", kernel, box.box[0],
                              box.box[1], outers, rows, columns));
  return out;
}

}  // namespace ardea::runtime::cuda
