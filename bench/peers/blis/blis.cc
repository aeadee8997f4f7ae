#include <blis.h>

#include "bench/peers/blas_products.h"

namespace peer {

const char* const name = "blis";
const ArdeaPeerKind kind = ARDEA_PEER_LIBRARY;

namespace {

/// BLIS takes operands without const.
float* mutable_pointer(const float* p) { return const_cast<float*>(p); }

void gemm(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b, bool tb, float* c) {
  float one = 1, zero = 0;
  bli_sgemm(BLIS_NO_TRANSPOSE, BLIS_NO_TRANSPOSE, m, n, k, &one, mutable_pointer(a), k, 1, mutable_pointer(b),
            tb ? 1 : n, tb ? k : 1, &zero, c, n, 1);
}

void gemv(std::int64_t rows, std::int64_t columns, const float* a, bool ta, const float* x, float* y) {
  float one = 1, zero = 0;
  bli_sgemv(ta ? BLIS_TRANSPOSE : BLIS_NO_TRANSPOSE, BLIS_NO_CONJUGATE, rows, columns, &one,
            mutable_pointer(a), columns, 1, mutable_pointer(x), 1, &zero, y, 1);
}

}  // namespace

std::string description() {
  return std::string("BLIS ") + bli_info_get_version_str() + ", kernels " +
         bli_arch_string(bli_arch_query_id()) + ", " + file_of(reinterpret_cast<const void*>(&bli_sgemm));
}

Variants variants(const Workload& workload, int threads) {
  bli_thread_set_num_threads(threads);
  return blas_products(workload, {gemm, gemv});
}

}  // namespace peer
