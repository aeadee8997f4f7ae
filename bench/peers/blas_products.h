#pragma once

#include "bench/peers/blas.h"
#include "bench/peers/plugin.h"

namespace peer {

/// The products that any BLAS can do: gemm, bmm, gemv and matmul_exp_matmul of float32. Refusal of anything
/// else.
/// Labels name the kernels.
Variants blas_products(const Workload& workload, const Blas& blas);

/// The product among them that takes longest; a small one of anything else.
GemmShape main_product(const Workload& workload);

}  // namespace peer
