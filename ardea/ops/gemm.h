#pragma once

#include "ardea/ops/types.h"
#include "ardea/te/tensor.h"

/// Matrix products.

namespace ardea::ops {

struct GemmOptions {
  bool transpose_b = false;  ///< the last two dimensions of B are n, k
  Types types = {};
  std::string name = "C";
};

/// C[m, n] = Σ_k A[m, k] · B[k, n].
te::Tensor gemm(const te::Tensor& a, const te::Tensor& b, const GemmOptions& options = {});

/// C[b, m, n] = Σ_k A[b, m, k] · B[b, k, n].
te::Tensor bmm(const te::Tensor& a, const te::Tensor& b, const GemmOptions& options = {});

/// y[m] = Σ_k A[m, k] · x[k].
te::Tensor gemv(const te::Tensor& a, const te::Tensor& x, const Types& wanted = {},
                const std::string& name = "y");

}  // namespace ardea::ops
