#pragma once

#include "bench/peers/plugin.h"

/// The operators as anyone would write them: plain loops in an order that the compiler turns into vectors.
/// Each function answers nothing where the operator or its types are not its.

namespace peer {

std::optional<Prepared> product_loops(const Workload& workload);
std::optional<Prepared> convolution_loops(const Workload& workload);
std::optional<Prepared> row_loops(const Workload& workload);

template <class T>
const T* input(void* const* arrays, std::size_t i) {
  return static_cast<const T*>(arrays[i]);
}
template <class T>
T* output(void* const* arrays, std::size_t i) {
  return static_cast<T*>(arrays[i]);
}

}  // namespace peer
