#include <cblas.h>

#include "bench/peers/blas_products.h"

namespace peer {

const char* const name = "openblas";
const ArdeaPeerKind kind = ARDEA_PEER_LIBRARY;

namespace {

void gemm(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b, bool tb, float* c) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, tb ? CblasTrans : CblasNoTrans, static_cast<blasint>(m),
              static_cast<blasint>(n), static_cast<blasint>(k), 1, a, static_cast<blasint>(k), b,
              static_cast<blasint>(tb ? k : n), 0, c, static_cast<blasint>(n));
}

void gemv(std::int64_t rows, std::int64_t columns, const float* a, bool ta, const float* x, float* y) {
  cblas_sgemv(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, static_cast<blasint>(rows),
              static_cast<blasint>(columns), 1, a, static_cast<blasint>(columns), x, 1, 0, y, 1);
}

}  // namespace

std::string description() {
  return std::string(openblas_get_config()) + ", kernels " + openblas_get_corename() + ", " +
         file_of(reinterpret_cast<const void*>(&cblas_sgemm));
}

Variants variants(const Workload& workload, int threads) {
  openblas_set_num_threads(threads);
  return blas_products(workload, {gemm, gemv});
}

}  // namespace peer
