#pragma once

#include <string>
#include <vector>

#include "ardea/lower/gpu/split_kernels.h"
#include "ardea/runtime/cuda/tensor_box.h"

namespace ardea::compile {

/// What a launch has to tell of the arrays that the kernel copies boxes of.
std::vector<runtime::cuda::TensorBox> tensor_boxes(const lower::Kernel& kernel);

/// The numbers as a C initialiser: type, rank, swizzle, promotion, whether windows go through it, and the
/// lists.
std::string initialiser(const runtime::cuda::BoxNumbers& numbers);

}  // namespace ardea::compile
