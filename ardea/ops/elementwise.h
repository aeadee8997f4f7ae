#pragma once

#include "ardea/ops/types.h"
#include "ardea/te/tensor.h"

/// Operators on each element by itself. Two inputs broadcast as NumPy's do: aligned at the last dimension, an
/// extent of 1 is repeated.

namespace ardea::ops {

/// max(x, 0); NaN stays NaN.
te::Tensor relu(const te::Tensor& x, const Types& types = {}, const std::string& name = "relu");
te::Tensor sigmoid(const te::Tensor& x, const Types& types = {}, const std::string& name = "sigmoid");
te::Tensor tanh(const te::Tensor& x, const Types& types = {}, const std::string& name = "tanh");
/// The exact one: x · (1 + erf(x / √2)) / 2.
te::Tensor gelu(const te::Tensor& x, const Types& types = {}, const std::string& name = "gelu");

te::Tensor add(const te::Tensor& a, const te::Tensor& b, const Types& types = {},
               const std::string& name = "add");
te::Tensor mul(const te::Tensor& a, const te::Tensor& b, const Types& types = {},
               const std::string& name = "mul");

struct BiasOptions {
  std::int64_t axis = -1;  ///< of x, that the bias goes along
  Types types = {};
  std::string name = "bias_add";
};
/// x + bias, which has one dimension: that of x's axis.
te::Tensor bias_add(const te::Tensor& x, const te::Tensor& bias, const BiasOptions& options = {});

}  // namespace ardea::ops
