#pragma once

#include "bench/peers/plugin.h"

/// The products that any BLAS can do, in terms of its own two functions.

namespace peer {

struct Blas {
  /// C[m,n] = A[m,k]·B[k,n], row-major and compact; B is given as n,k where `transpose_b`.
  void (*gemm)(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b,
               bool transpose_b, float* c);
  /// y[rows] = A[rows,columns]·x[columns], or y[columns] = Aᵀ·x[rows] where `transpose_a`.
  void (*gemv)(std::int64_t rows, std::int64_t columns, const float* a, bool transpose_a, const float* x,
               float* y);
};

/// gemm, bmm, gemv and matmul_exp_matmul of float32. Refusal of anything else.
Variants blas_products(const Workload& workload, const Blas& blas);

}  // namespace peer
