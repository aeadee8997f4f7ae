#include "ardea/runtime/cuda/tensor_box.h"

#include <bit>

#include <fmt/ranges.h>

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
  const std::size_t rank = box.extents.size();
  ensure(rank >= 2 && rank <= BoxNumbers::most_dimensions, "a box of an array of {} dimensions", rank);
  BoxNumbers numbers{.type = type_number(box.type.bytes()),
                     .rank = static_cast<unsigned>(rank),
                     .swizzle = box.is_swizzled ? swizzle_128_bytes : 0,
                     .promotion = promotion_256_bytes,
                     .has_windows = box.windows.has_value()};
  std::int64_t elements = 1;
  for (std::size_t i = 0; i < rank; ++i) {
    numbers.extents[i] = static_cast<std::uint64_t>(box.extents[rank - 1 - i]);
    if (i > 0) numbers.strides[i - 1] = static_cast<std::uint64_t>(box.type.bytes(elements));
    elements *= box.extents[rank - 1 - i];
    numbers.steps[i] = 1;
    if (!numbers.has_windows) numbers.sizes[i] = 1;
  }
  numbers.sizes[0] = static_cast<std::uint32_t>(box.box[1]);
  numbers.sizes[1] = static_cast<std::uint32_t>(box.box[0]);
  if (!box.windows) return numbers;
  const std::size_t dimensions = rank - 2;
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::size_t from = dimensions - 1 - i;
    numbers.lower[i] = static_cast<int>(box.windows->lower.at(from));
    numbers.upper[i] = static_cast<int>(box.windows->upper.at(from));
    numbers.steps[i + 1] = static_cast<std::uint32_t>(box.windows->steps.at(from));
  }
  return numbers;
}

EncodedBox encoded(const TensorBox& box, DevicePointer array, const std::string& kernel) {
  const Driver& d = driver();
  require(d.encode_box != nullptr && d.encode_windows != nullptr,
          "{}: it copies boxes of arrays, which NVIDIA's driver here knows nothing of; install one for CUDA "
          "12 or "
          "later",
          kernel);
  const BoxNumbers numbers = numbers_of(box);
  void* const memory = std::bit_cast<void*>(array);
  EncodedBox out;
  const Result result =
      numbers.has_windows ? d.encode_windows(&out, numbers.type, numbers.rank, memory, numbers.extents.data(),
                                             numbers.strides.data(), numbers.lower.data(),
                                             numbers.upper.data(), numbers.sizes[0], numbers.sizes[1],
                                             numbers.steps.data(), 0, numbers.swizzle, numbers.promotion, 0)
                          : d.encode_box(&out, numbers.type, numbers.rank, memory, numbers.extents.data(),
                                         numbers.strides.data(), numbers.sizes.data(), numbers.steps.data(),
                                         0, numbers.swizzle, numbers.promotion, 0);
  require_success(result, fmt::format("{}: {} of {} x {} elements of an array of {}", kernel,
                                      numbers.has_windows ? "windows" : "boxes", box.box[0], box.box[1],
                                      fmt::join(box.extents, " x ")));
  return out;
}

}  // namespace ardea::runtime::cuda
