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
  Blas blas = by_cblas(library, ARDEA_OPENBLAS_PREFIX);
  blas.set_threads = library.function<void (*)(int)>(ARDEA_OPENBLAS_PREFIX "openblas_set_num_threads");
  blas.name = "OpenBLAS";
  blas.library = std::string(library.function<char* (*)()>(ARDEA_OPENBLAS_PREFIX "openblas_get_config")()) +
                 ", " ARDEA_OPENBLAS;
  blas.kernels = library.function<char* (*)()>(ARDEA_OPENBLAS_PREFIX "openblas_get_corename")();
  return blas;
}

}  // namespace

const Blas& openblas(const GemmShape& shape) {
  static Kernels kernels = [] {
    std::vector<Blas> opened_ones;
    for (const std::string& core : cores()) opened_ones.push_back(opened(core));
    return Kernels(std::move(opened_ones));
  }();
  return kernels.fastest(shape);
}

}  // namespace peer
