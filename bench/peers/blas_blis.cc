#include <blis.h>

#include <cstdlib>

#include "bench/peers/blas.h"
#include "bench/peers/own_library.h"

namespace peer {

namespace {

/// Values of BLIS_ARCH_TYPE that this machine can run and Debian's build for it has; "" is the library's own
/// choice.
std::vector<std::string> architectures() {
  std::vector<std::string> numbers = {""};
  if (std::getenv("BLIS_ARCH_TYPE") != nullptr) return numbers;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    numbers.push_back(std::to_string(BLIS_ARCH_SKX));
#endif
  return numbers;
}

/// BLIS takes operands without const.
float* mutable_pointer(const float* p) { return const_cast<float*>(p); }

Blas opened(const std::string& architecture) {
  const OwnLibrary library(ARDEA_BLIS, "BLIS_ARCH_TYPE", architecture);
  const auto sgemm = library.function<decltype(&bli_sgemm)>("bli_sgemm");
  const auto sgemv = library.function<decltype(&bli_sgemv)>("bli_sgemv");
  const auto version = library.function<decltype(&bli_info_get_version_str)>("bli_info_get_version_str");
  const auto id = library.function<decltype(&bli_arch_query_id)>("bli_arch_query_id");
  const auto name = library.function<decltype(&bli_arch_string)>("bli_arch_string");
  library.start([init = library.function<decltype(&bli_init)>("bli_init")] { init(); });
  return {
      .gemm =
          [=](std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b, bool tb,
              float* c) {
            float one = 1, zero = 0;
            sgemm(BLIS_NO_TRANSPOSE, BLIS_NO_TRANSPOSE, m, n, k, &one, mutable_pointer(a), k, 1,
                  mutable_pointer(b), tb ? 1 : n, tb ? k : 1, &zero, c, n, 1);
          },
      .gemv =
          [=](std::int64_t rows, std::int64_t columns, const float* a, bool ta, const float* x, float* y) {
            float one = 1, zero = 0;
            sgemv(ta ? BLIS_TRANSPOSE : BLIS_NO_TRANSPOSE, BLIS_NO_CONJUGATE, rows, columns, &one,
                  mutable_pointer(a), columns, 1, mutable_pointer(x), 1, &zero, y, 1);
          },
      .set_threads = [set = library.function<decltype(&bli_thread_set_num_threads)>(
                          "bli_thread_set_num_threads")](int threads) { set(threads); },
      .name = "BLIS",
      .library = std::string("BLIS ") + version() + ", " ARDEA_BLIS,
      .kernels = name(id())};
}

}  // namespace

const Blas& blis(const GemmShape& shape) {
  static const std::vector<Blas> candidates = [] {
    std::vector<Blas> opened_ones;
    for (const std::string& architecture : architectures()) opened_ones.push_back(opened(architecture));
    return opened_ones;
  }();
  return fastest(candidates, shape);
}

}  // namespace peer
