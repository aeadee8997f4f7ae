#include "ardea/compile/tensor_boxes.h"

#include <algorithm>

namespace ardea::compile {

std::vector<runtime::cuda::TensorBox> tensor_boxes(const lower::Kernel& kernel) {
  std::vector<runtime::cuda::TensorBox> all;
  for (const lower::BoxedArray& one : kernel.boxes) {
    const auto argument = std::find(kernel.arguments.begin(), kernel.arguments.end(), one.array);
    all.push_back({.argument = static_cast<std::size_t>(argument - kernel.arguments.begin()),
                   .type = one.type,
                   .extents = {one.box.outers, one.box.rows, one.box.columns},
                   .box = {one.box.box_rows, one.box.box_columns},
                   .is_swizzled = one.box.is_swizzled});
  }
  return all;
}

}  // namespace ardea::compile
