#include "ardea/compile/tensor_boxes.h"

#include <algorithm>
#include <variant>

#include <fmt/core.h>

#include "ardea/support/text.h"

namespace ardea::compile {

namespace {

runtime::cuda::TensorBox described(const BoxCopy& box) {
  return {.extents = {box.outers, box.rows, box.columns},
          .box = {box.box_rows, box.box_columns},
          .is_swizzled = box.is_swizzled};
}

runtime::cuda::TensorBox described(const WindowCopy& copy) {
  std::vector<std::int64_t> extents = {copy.images};
  extents.insert(extents.end(), copy.extents.begin(), copy.extents.end());
  extents.push_back(copy.channels);
  return {.extents = extents,
          .box = {copy.box_windows, copy.box_channels},
          .is_swizzled = copy.is_swizzled,
          .windows = runtime::cuda::TensorWindows{copy.lower, copy.upper, copy.steps}};
}

}  // namespace

std::vector<runtime::cuda::TensorBox> tensor_boxes(const lower::Kernel& kernel) {
  std::vector<runtime::cuda::TensorBox> all;
  for (const lower::BoxedArray& one : kernel.boxes) {
    const auto argument = std::find(kernel.arguments.begin(), kernel.arguments.end(), one.array);
    runtime::cuda::TensorBox box = std::visit([](const auto& part) { return described(part); }, one.part);
    box.argument = static_cast<std::size_t>(argument - kernel.arguments.begin());
    box.type = one.type;
    all.push_back(std::move(box));
  }
  return all;
}

std::string initialiser(const runtime::cuda::BoxNumbers& numbers) {
  const auto list = [](const auto& all, const char* suffix) {
    std::vector<std::string> texts;
    for (const auto number : all) texts.push_back(std::to_string(number) + suffix);
    return "{" + join(texts, ", ") + "}";
  };
  return fmt::format("{{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}}", numbers.type, numbers.rank,
                     numbers.swizzle, numbers.promotion, numbers.has_windows ? 1 : 0,
                     list(numbers.extents, "u"), list(numbers.strides, "u"), list(numbers.sizes, "u"),
                     list(numbers.steps, "u"), list(numbers.lower, ""), list(numbers.upper, ""));
}

}  // namespace ardea::compile
