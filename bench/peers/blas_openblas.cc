#include <cblas.h>

#include <cstdlib>

#include "bench/peers/blas.h"
#include "bench/peers/own_library.h"

namespace peer {

namespace {

/// Names of OPENBLAS_CORETYPE that this machine can run; "" is the library's own choice.
std::vector<std::string> cores() {
  std::vector<std::string> names = {""};
  if (std::getenv("OPENBLAS_CORETYPE") != nullptr) return names;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    names.emplace_back("SkylakeX");
  else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    names.emplace_back("Haswell");
#elif defined(__aarch64__)
  names.emplace_back("THUNDERX2T99");
#endif
  return names;
}

Blas opened(const std::string& core) {
  // Its threads wait for more work in a loop; by default for so long that they would disturb the next one.
  setenv("OPENBLAS_THREAD_TIMEOUT", "20", 0);
  const OwnLibrary library(ARDEA_OPENBLAS, "OPENBLAS_CORETYPE", core);
  const auto sgemm = library.function<decltype(&cblas_sgemm)>("cblas_sgemm");
  const auto sgemv = library.function<decltype(&cblas_sgemv)>("cblas_sgemv");
  const auto config = library.function<decltype(&openblas_get_config)>("openblas_get_config");
  const auto corename = library.function<decltype(&openblas_get_corename)>("openblas_get_corename");
  const auto integer = [](std::int64_t value) { return static_cast<blasint>(value); };
  return {
      .gemm =
          [=](std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b, bool tb,
              float* c) {
            sgemm(CblasRowMajor, CblasNoTrans, tb ? CblasTrans : CblasNoTrans, integer(m), integer(n),
                  integer(k), 1, a, integer(k), b, integer(tb ? k : n), 0, c, integer(n));
          },
      .gemv =
          [=](std::int64_t rows, std::int64_t columns, const float* a, bool ta, const float* x, float* y) {
            sgemv(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, integer(rows), integer(columns), 1, a,
                  integer(columns), x, 1, 0, y, 1);
          },
      .set_threads = library.function<decltype(&openblas_set_num_threads)>("openblas_set_num_threads"),
      .name = "OpenBLAS",
      .library = std::string(config()) + ", " + ARDEA_OPENBLAS,
      .kernels = corename()};
}

}  // namespace

const Blas& openblas(const GemmShape& shape) {
  static const std::vector<Blas> candidates = [] {
    std::vector<Blas> opened_ones;
    for (const std::string& core : cores()) opened_ones.push_back(opened(core));
    return opened_ones;
  }();
  return fastest(candidates, shape);
}

}  // namespace peer
