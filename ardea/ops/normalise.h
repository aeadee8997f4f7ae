#pragma once

#include "ardea/ops/types.h"
#include "ardea/te/tensor.h"

/// Normalisations, all of floats.

namespace ardea::ops {

/// exp(x − max) / Σ exp(x − max) along the last axis: the greatest element becomes exp(0), so that nothing
/// overflows.
te::Tensor softmax(const te::Tensor& x, const Types& wanted = {}, const std::string& name = "softmax");

struct NormOptions {
  double epsilon = 1e-5;
  std::int64_t axis = -1;  ///< batchnorm only: that the statistics are of
  Types types = {};
  std::string name = {};  ///< empty means the operator's name
  /// batchnorm only: gamma / √(var + ε) is a stage of its own, once a channel. After a stage that takes long
  /// for each element, once an element costs nothing, and there is no memory between.
  bool scale_apart = true;
};

/// (x − mean) / √(var + ε) · gamma + beta, with mean and population variance of each row along the last axis,
/// which gamma and beta go along.
te::Tensor layernorm(const te::Tensor& x, const te::Tensor& gamma, const te::Tensor& beta,
                     const NormOptions& options = {});

/// At inference: gamma · (x − mean) / √(var + ε) + beta, each of the four with one number for every place
/// along `axis` (columns by default; axis 1 for channels-first images).
te::Tensor batchnorm(const te::Tensor& x, const te::Tensor& gamma, const te::Tensor& beta,
                     const te::Tensor& mean, const te::Tensor& var, const NormOptions& options = {});

}  // namespace ardea::ops
