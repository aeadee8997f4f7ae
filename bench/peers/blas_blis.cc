#include <cstdlib>

#include "bench/peers/blas.h"
#include "bench/peers/own_library.h"

namespace peer {

namespace {

/// A value of BLIS_ARCH_TYPE that a library of that version takes and this machine can run, beside the
/// library's own choice. (A number that the version does not have ends the process.)
std::vector<std::string> more_architectures(const std::string& version) {
  std::vector<std::string> numbers;
  if (std::getenv("BLIS_ARCH_TYPE") != nullptr || !version.starts_with("0.9")) return numbers;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    numbers.emplace_back("0");  // skx
#endif
  return numbers;
}

struct Opened {
  Blas blas;
  std::string version;
};

Opened opened(const std::string& architecture) {
  const OwnLibrary library(ARDEA_BLIS, "BLIS_ARCH_TYPE", architecture);
  library.start(library.function<void (*)()>("bli_init"));
  Blas blas = by_cblas(library);
  blas.set_threads = [set = library.function<void (*)(std::int64_t)>("bli_thread_set_num_threads")](
                         int threads) { set(threads); };
  const std::string version = library.function<char* (*)()>("bli_info_get_version_str")();
  const int id = library.function<int (*)()>("bli_arch_query_id")();
  blas.name = "BLIS";
  blas.library = "BLIS " + version + ", " ARDEA_BLIS;
  blas.kernels = library.function<char* (*)(int)>("bli_arch_string")(id);
  return {blas, version};
}

}  // namespace

const Blas& blis(const GemmShape& shape) {
  static Kernels kernels = [] {
    const Opened own_choice = opened("");
    std::vector<Blas> all = {own_choice.blas};
    for (const std::string& number : more_architectures(own_choice.version))
      all.push_back(opened(number).blas);
    return Kernels(std::move(all));
  }();
  return kernels.fastest(shape);
}

}  // namespace peer
