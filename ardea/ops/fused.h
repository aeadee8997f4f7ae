#pragma once

#include "ardea/ops/conv.h"

/// Chains that are worth one program. Between their parts values stay in the accumulator's type; only the
/// result is rounded to `out`.

namespace ardea::ops {

/// relu(A · B + bias): A is m,k, B is k,n, bias is n.
te::Tensor gemm_bias_relu(const te::Tensor& a, const te::Tensor& b, const te::Tensor& bias,
                          const Types& wanted = {}, const std::string& name = "out");

/// relu(batchnorm(c2d(data, kernel))), the statistics along the channels.
te::Tensor conv_bn_relu(const te::Tensor& data, const te::Tensor& kernel, const te::Tensor& gamma,
                        const te::Tensor& beta, const te::Tensor& mean, const te::Tensor& var,
                        const ConvOptions& options = {}, double epsilon = 1e-5);

/// softmax(Q · Kᵀ / √dim) · V for each head; all three are heads,seq,dim.
te::Tensor attention(const te::Tensor& q, const te::Tensor& k, const te::Tensor& v, const Types& wanted = {},
                     const std::string& name = "out");

/// F = exp(A · B) · E, with stages C = A · B and D = exp(C): A is m,k, B is k,l, E is l,n.
te::Tensor matmul_exp_matmul(const te::Tensor& a, const te::Tensor& b, const te::Tensor& e,
                             const Types& wanted = {});

}  // namespace ardea::ops
