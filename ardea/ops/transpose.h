#pragma once

#include "ardea/te/tensor.h"

namespace ardea::ops {

/// Dimension i of the result is dimension permutation[i] of x; empty reverses them all. Any type.
te::Tensor transpose(const te::Tensor& x, std::vector<std::int64_t> permutation = {},
                     const std::string& name = "transpose");

}  // namespace ardea::ops
