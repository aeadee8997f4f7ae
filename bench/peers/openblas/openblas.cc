#include "bench/peers/blas_products.h"

namespace peer {

const char* const name = ARDEA_PEER_NAME;
const ArdeaPeerKind kind = ARDEA_PEER_LIBRARY;

std::string description() { return openblas({256, 256, 256}).library; }

Variants variants(const Workload& workload, int threads) {
  const Blas& blas = openblas(main_product(workload));
  blas.set_threads(threads);
  return blas_products(workload, blas);
}

}  // namespace peer
