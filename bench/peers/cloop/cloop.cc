#include "bench/peers/cloop/loops.h"

namespace peer {

const char* const name = "cloop";
const ArdeaPeerKind kind = ARDEA_PEER_LOOP;

std::string description() {
  return "plain loops, compiled by GCC " __VERSION__ " with -O3 -march=native -ffast-math";
}

Variants variants(const Workload& w, int threads) {
  if (threads > 1) throw Refusal{"it runs on one thread only"};
  for (const auto family : {product_loops, convolution_loops, row_loops})
    if (const std::optional<Prepared> prepared = family(w)) return {[=] { return *prepared; }};
  return {};
}

}  // namespace peer
