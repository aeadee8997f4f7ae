#include <algorithm>
#include <memory>

#include "bench/peers/cloop/loops.h"
#include "bench/peers/vector_exp.h"

namespace peer {

namespace {

/// C[m,n] = A[m,k]·B[k,n]. The innermost loop runs along rows of B and C.
template <class A, class B, class C>
void product(std::int64_t m, std::int64_t n, std::int64_t k, const A* __restrict a, const B* __restrict b,
             C* __restrict c) {
  for (std::int64_t i = 0; i < m; ++i) {
    C* __restrict row = c + i * n;
    std::fill_n(row, n, C(0));
    for (std::int64_t l = 0; l < k; ++l) {
      const C x = a[i * k + l];
      for (std::int64_t j = 0; j < n; ++j) row[j] += x * C(b[l * n + j]);
    }
  }
}

/// C[m,n] = A[m,k]·B[n,k]: products of rows.
template <class A, class B, class C>
void product_of_rows(std::int64_t m, std::int64_t n, std::int64_t k, const A* __restrict a,
                     const B* __restrict b, C* __restrict c) {
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      C sum = 0;
      for (std::int64_t l = 0; l < k; ++l) sum += C(a[i * k + l]) * C(b[j * k + l]);
      c[i * n + j] = sum;
    }
}

template <class A, class B, class C>
Prepared batches(std::int64_t count, std::int64_t m, std::int64_t k, std::int64_t n, bool transpose_b) {
  return {"", [=](void* const* p) {
            for (std::int64_t i = 0; i < count; ++i)
              (transpose_b ? product_of_rows<A, B, C> : product<A, B, C>)(m, n, k, input<A>(p, 0) + i * m * k,
                                                                          input<B>(p, 1) + i * k * n,
                                                                          output<C>(p, 2) + i * m * n);
          }};
}

template <class A, class B, class C>
Prepared products(const Workload& w) {
  const std::vector<std::int64_t>& s = w.sizes;
  if (w.op == "gemm") return batches<A, B, C>(1, s[0], s[1], s[2], w.transpose_b);
  if (w.op == "bmm") return batches<A, B, C>(s[0], s[1], s[2], s[3], w.transpose_b);
  return batches<A, B, C>(1, s[0], s[1], 1, true);  // gemv
}

Prepared matmul_exp_matmul(const std::vector<std::int64_t>& s) {
  const std::int64_t m = s[0], k = s[1], l = s[2], n = s[3];
  const auto between = std::make_shared<std::vector<float>>(m * l);
  return {"", [=](void* const* p) {
            product(m, l, k, input<float>(p, 0), input<float>(p, 1), between->data());
            vector_exp(between->data(), m * l);
            product(m, n, l, between->data(), input<float>(p, 2), output<float>(p, 3));
          }};
}

Prepared gemm_bias_relu(const std::vector<std::int64_t>& s) {
  const std::int64_t m = s[0], k = s[1], n = s[2];
  return {"", [=](void* const* p) {
            auto* const c = output<float>(p, 3);
            product(m, n, k, input<float>(p, 0), input<float>(p, 1), c);
            const auto* const bias = input<float>(p, 2);
            for (std::int64_t i = 0; i < m; ++i)
              for (std::int64_t j = 0; j < n; ++j) c[i * n + j] = std::max(c[i * n + j] + bias[j], 0.0F);
          }};
}

}  // namespace

std::optional<Prepared> product_loops(const Workload& w) {
  const bool plain = w.op == "gemm" || w.op == "bmm" || w.op == "gemv";
  if (w.all("float32") && w.op == "matmul_exp_matmul") return matmul_exp_matmul(w.sizes);
  if (w.all("float32") && w.op == "gemm_bias_relu") return gemm_bias_relu(w.sizes);
  if (!plain) return std::nullopt;
  if (w.all("float32")) return products<float, float, float>(w);
  if (w.all("float64")) return products<double, double, double>(w);
  if (w.acc != "int32" || w.output().type != "int32") return std::nullopt;
  const std::string a = w.arrays[0].type, b = w.arrays[1].type;
  if (a == "uint8" && b == "int8") return products<std::uint8_t, std::int8_t, std::int32_t>(w);
  if (a == "int8" && b == "int8") return products<std::int8_t, std::int8_t, std::int32_t>(w);
  if (a == "uint8" && b == "uint8") return products<std::uint8_t, std::uint8_t, std::int32_t>(w);
  return std::nullopt;
}

}  // namespace peer
