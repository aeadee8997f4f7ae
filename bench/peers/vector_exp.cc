#include "bench/peers/vector_exp.h"

namespace peer {

void vector_exp(float* x, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) x[i] = fast_exp(x[i]);
}

}  // namespace peer
