#include "bench/peers/blas.h"

#include <algorithm>

#include "bench/peers/own_library.h"

namespace peer {

namespace {

// CBLAS, the interface that every BLAS has in C; declared here, so that no library's headers are needed.
// All of these libraries count in 32 bits.
using Integer = std::int32_t;
using Sgemm = void (*)(int order, int transpose_a, int transpose_b, Integer m, Integer n, Integer k,
                       float alpha, const float* a, Integer lda, const float* b, Integer ldb, float beta,
                       float* c, Integer ldc);
using Sgemv = void (*)(int order, int transpose_a, Integer rows, Integer columns, float alpha, const float* a,
                       Integer lda, const float* x, Integer step_x, float beta, float* y, Integer step_y);
constexpr int row_major = 101, as_it_is = 111, transposed = 112;

Integer integer(std::int64_t value) { return static_cast<Integer>(value); }

}  // namespace

Blas by_cblas(const OwnLibrary& library, const std::string& prefix) {
  const auto sgemm = library.function<Sgemm>((prefix + "cblas_sgemm").c_str());
  const auto sgemv = library.function<Sgemv>((prefix + "cblas_sgemv").c_str());
  Blas blas;
  blas.gemm = [=](std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b, bool tb,
                  float* c) {
    sgemm(row_major, as_it_is, tb ? transposed : as_it_is, integer(m), integer(n), integer(k), 1, a,
          integer(k), b, integer(tb ? k : n), 0, c, integer(n));
  };
  blas.gemv = [=](std::int64_t rows, std::int64_t columns, const float* a, bool ta, const float* x,
                  float* y) {
    sgemv(row_major, ta ? transposed : as_it_is, integer(rows), integer(columns), 1, a, integer(columns), x,
          1, 0, y, 1);
  };
  return blas;
}

const Blas& Kernels::fastest(const GemmShape& shape) {
  const auto [chosen, is_new] = chosen_.try_emplace(shape, 0);
  if (!is_new || candidates_.size() == 1) return candidates_[chosen->second];
  constexpr std::int64_t enough = 512;
  const std::int64_t m = std::min(shape.m, enough), n = std::min(shape.n, enough),
                     k = std::min(shape.k, enough);
  const std::vector<float> a(m * k, 1), b(k * n, 1);
  std::vector<float> c(m * n);
  double least = 1e30;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    candidates_[i].set_threads(1);
    const double took = fastest_s([&] { candidates_[i].gemm(m, n, k, a.data(), b.data(), false, c.data()); });
    if (took < least) least = took, chosen->second = i;
  }
  return candidates_[chosen->second];
}

}  // namespace peer
