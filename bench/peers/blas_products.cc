#include "bench/peers/blas_products.h"

#include <memory>

#include "bench/peers/vector_exp.h"

namespace peer {

namespace {

const float* input(void* const* arrays, std::size_t i) { return static_cast<const float*>(arrays[i]); }

Variants gemm(const Workload& w, const Blas& blas) {
  const std::int64_t m = w.sizes[0], k = w.sizes[1], n = w.sizes[2];
  const bool tb = w.transpose_b;
  Variants all = {[=] {
    return Prepared{blas.kernels + " kernels, packing counted", [=](void* const* p) {
                      blas.gemm(m, n, k, input(p, 0), input(p, 1), tb, static_cast<float*>(p[2]));
                    }};
  }};
  // Who has a single row or column calls the function for it.
  if (m == 1)
    all.push_back([=] {
      return Prepared{blas.kernels + " kernels, as gemv", [=](void* const* p) {
                        auto* const y = static_cast<float*>(p[2]);
                        if (tb)
                          blas.gemv(n, k, input(p, 1), false, input(p, 0), y);
                        else
                          blas.gemv(k, n, input(p, 1), true, input(p, 0), y);
                      }};
    });
  if (n == 1)
    all.push_back([=] {
      return Prepared{blas.kernels + " kernels, as gemv", [=](void* const* p) {
                        blas.gemv(m, k, input(p, 0), false, input(p, 1), static_cast<float*>(p[2]));
                      }};
    });
  return all;
}

Variants bmm(const Workload& w, const Blas& blas) {
  const std::int64_t batch = w.sizes[0], m = w.sizes[1], k = w.sizes[2], n = w.sizes[3];
  const bool tb = w.transpose_b;
  return {[=] {
    return Prepared{blas.kernels + " kernels, one gemm after the other", [=](void* const* p) {
                      auto* const c = static_cast<float*>(p[2]);
                      for (std::int64_t b = 0; b < batch; ++b)
                        blas.gemm(m, n, k, input(p, 0) + b * m * k, input(p, 1) + b * k * n, tb,
                                  c + b * m * n);
                    }};
  }};
}

Variants gemv(const Workload& w, const Blas& blas) {
  const std::int64_t m = w.sizes[0], k = w.sizes[1];
  return {[=] {
    return Prepared{blas.kernels + " kernels", [=](void* const* p) {
                      blas.gemv(m, k, input(p, 0), false, input(p, 1), static_cast<float*>(p[2]));
                    }};
  }};
}

Variants matmul_exp_matmul(const Workload& w, const Blas& blas) {
  const std::int64_t m = w.sizes[0], k = w.sizes[1], l = w.sizes[2], n = w.sizes[3];
  return {[=] {
    const auto between = std::make_shared<std::vector<float>>(m * l);
    return Prepared{blas.kernels + " kernels: gemm, vectorised exp, gemm", [=](void* const* p) {
                      blas.gemm(m, l, k, input(p, 0), input(p, 1), false, between->data());
                      vector_exp(between->data(), m * l);
                      blas.gemm(m, n, l, between->data(), input(p, 2), false, static_cast<float*>(p[3]));
                    }};
  }};
}

}  // namespace

Variants blas_products(const Workload& w, const Blas& blas) {
  if (!w.all("float32")) throw Refusal{"it has float32 only"};
  if (w.op == "gemm") return gemm(w, blas);
  if (w.op == "bmm") return bmm(w, blas);
  if (w.op == "gemv") return gemv(w, blas);
  if (w.op == "matmul_exp_matmul") return matmul_exp_matmul(w, blas);
  throw Refusal{"it has matrix products only, no " + w.op};
}

GemmShape main_product(const Workload& w) {
  const std::vector<std::int64_t>& s = w.sizes;
  if (w.op == "gemm") return {s[0], s[2], s[1]};
  if (w.op == "bmm") return {s[1], s[3], s[2]};
  if (w.op == "matmul_exp_matmul")
    return s[1] < s[3] ? GemmShape{s[0], s[3], s[2]} : GemmShape{s[0], s[2], s[1]};
  return {64, 64, 64};
}

}  // namespace peer
