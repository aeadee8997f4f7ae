#include <omp.h>

#include "bench/peers/onednn/steps.h"

namespace peer {

const char* const name = ARDEA_PEER_NAME;
const ArdeaPeerKind kind = ARDEA_PEER_LIBRARY;

std::string description() {
  const dnnl::version_t* const version = dnnl::version();
  return "oneDNN " + std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
         std::to_string(version->patch) + ", " + file_of(reinterpret_cast<const void*>(&dnnl_version));
}

Variants variants(const Workload& w, int threads) {
  omp_set_num_threads(threads);
  for (const auto family : {products, convolutions, rows})
    if (Variants found = family(w); !found.empty()) return found;
  return {};
}

}  // namespace peer
