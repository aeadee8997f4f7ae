#pragma once

#include "ardea/ops/types.h"
#include "ardea/te/tensor.h"

/// Reductions over any axes, as NumPy has them.

namespace ardea::ops {

struct ReduceOptions {
  std::vector<std::int64_t> axes = {};  ///< -1 is the last one; empty means all
  bool keep_dims = false;               ///< reduced dimensions stay, with extent 1
  Types types = {};
  std::string name = {};  ///< of the result; empty means the operator's name
};

te::Tensor reduce_sum(const te::Tensor& x, const ReduceOptions& options = {});
/// NaN where any element is NaN.
te::Tensor reduce_max(const te::Tensor& x, const ReduceOptions& options = {});
/// Along one axis, the position of the greatest element: of equal ones, and of NaNs, which count as greater
/// than all else, the first. In int32 unless types.out is int64.
te::Tensor argmax(const te::Tensor& x, const ReduceOptions& options = {});
/// Floats only, as var.
te::Tensor mean(const te::Tensor& x, const ReduceOptions& options = {});
/// The variance of the population: Σ (x − mean)² / n, in two passes.
te::Tensor var(const te::Tensor& x, const ReduceOptions& options = {});
/// The same around a mean that is there already, from the same axes and with the same keep_dims.
te::Tensor var_around(const te::Tensor& center, const te::Tensor& x, const ReduceOptions& options = {});

}  // namespace ardea::ops
