#include "bench/peers/blas.h"

#include <algorithm>

#include "bench/peers/own_library.h"

namespace peer {

const Blas& fastest(const std::vector<Blas>& candidates, const GemmShape& shape) {
  if (candidates.size() == 1) return candidates[0];
  constexpr std::int64_t enough = 512;
  const std::int64_t m = std::min(shape.m, enough), n = std::min(shape.n, enough),
                     k = std::min(shape.k, enough);
  const std::vector<float> a(m * k, 1), b(k * n, 1);
  std::vector<float> c(m * n);
  std::vector<double> times;
  for (const Blas& blas : candidates) {
    blas.set_threads(1);
    times.push_back(fastest_s([&] { blas.gemm(m, n, k, a.data(), b.data(), false, c.data()); }));
  }
  return candidates[std::min_element(times.begin(), times.end()) - times.begin()];
}

}  // namespace peer
